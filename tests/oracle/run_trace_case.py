#!/usr/bin/env python3
"""Run lightrun on one recorded Lightning case and compare.

usage: run_trace_case.py LIGHTRUN PLUGIN_DIR traces/CASE.jsonl
"""
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # the sources' folder stays as it is

from deliberate import corrected
from last_checkpoint import read_checkpoint
from trace_config import config_of
from wanted_exit import OK, wanted_exit

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-6


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def is_off(got, want):
    if math.isnan(want):
        return not math.isnan(got)
    return not abs(got - want) <= TOLERANCE


def check_final(recording, run_dir):
    """What is wrong with the run's end, as a list of texts."""
    final = recording.final
    path = run_dir / "checkpoints" / "last.ckpt"
    if not path.exists():
        return ["no last.ckpt was written"] if final["batches_seen"] else []
    tensors, state = read_checkpoint(path)
    faults = [
        f"{name}: want {final[name]}, got {state[name]}"
        for name in ("global_step", "batches_seen")
        if state[name] != final[name]
    ]
    for name in ("w", "v") if recording.weights_known else ():
        if any(is_off(got, want) for got, want in zip(tensors[name], final[name], strict=True)):
            faults.append(f"{name}: want {final[name]}, got {tensors[name]}")
    return faults


def check_splits(recording, path):
    """Under truncated BPTT: the length of each split, and whether a hidden state came with it."""
    wanted = [event for event in recording.events if event["hook"] == "training_step"]
    if not path.exists() or "split_len" not in (wanted or [{}])[0]:
        return []
    got = read_lines(path)
    faults = [] if len(got) == len(wanted) or recording.final["error"] else [f"{len(wanted)} splits, got {len(got)}"]
    for i, (want, split) in enumerate(zip(wanted, got)):
        # Each optimizer has a hidden state of its own, Lightning 0.9.0 hands optimizer 0's on to optimizer 1.
        names = ["split_len"] if want.get("optimizer_idx") else ["split_len", "hiddens"]
        faults += [f"split {i}: {name} {split[name]}, want {want[name]}" for name in names if split[name] != want[name]]
    return faults


def check_exit(run, recording):
    codes, names, why = wanted_exit(recording)
    faults = []
    if run.returncode not in codes:
        faults.append(f"exit code {run.returncode}, want {' or '.join(map(str, sorted(codes)))} ({why})")
    faults += [f"the error does not name {name}" for name in names if name not in run.stderr]
    if re.search(r"unknown (key|type)", run.stderr):
        faults.append("a setting of the case is not known")
    if faults:
        faults.append(run.stdout + run.stderr)
    return faults


def run_lightrun(lightrun, plugin_dir, recording, scratch):
    config = config_of(recording.header)
    if "T" in recording.model:
        config["model"]["params"]["splits_file"] = str(scratch / "splits.jsonl")
    (scratch / "case.yaml").write_text(json.dumps(config))
    command = [lightrun, "train", "case.yaml", "--plugin-dir", plugin_dir, "--trace", str(scratch / "trace.jsonl")]
    return subprocess.run(command, cwd=scratch, capture_output=True, text=True)


def check(lightrun, plugin_dir, case_path, scratch):
    """All faults of a case; compare.py prints its own."""
    header, *events, last = read_lines(case_path)
    recording = corrected(header, events, last["final"])
    for note in recording.notes:
        print(f"recording corrected: {note}")
    run = run_lightrun(lightrun, plugin_dir, recording, scratch)
    if faults := check_exit(run, recording):
        return faults
    if run.returncode != OK:
        print(f"exit code {run.returncode}: {run.stderr.strip()}")
    trace, reference = scratch / "trace.jsonl", case_path
    if recording.notes:
        reference = scratch / f"{case_path.stem}.corrected.jsonl"
        write_lines(reference, [recording.header, *recording.events, {"final": recording.final}])
    if run.returncode == OK or trace.exists() and read_lines(trace) and recording.final["error"]:
        if subprocess.run([sys.executable, "-B", HERE / "compare.py", reference, trace]).returncode != 0:
            return ["the trace differs"]
    faults = check_splits(recording, scratch / "splits.jsonl")
    if run.returncode == OK and "fast_dev_run" not in recording.trainer and not recording.final["error"]:
        faults += check_final(recording, scratch / "runs" / "case" / "0")
    return faults


def main():
    lightrun, plugin_dir, case_path = (Path(argument).resolve() for argument in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as scratch:
        faults = check(lightrun, plugin_dir, case_path, Path(scratch))
    print("\n".join(faults) or "all that was recorded is equal")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
