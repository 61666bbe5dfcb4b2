#!/usr/bin/env python3
"""Run lightrun on one recorded Lightning case and compare.

usage: run_trace_case.py LIGHTRUN PLUGIN_DIR traces/CASE.jsonl
"""
import ast
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NONFINITE_EXIT = 6
TOLERANCE = 1e-6


def model_section(model):
    """The probe's parameters, from the header's `model`."""
    params = {}
    name = "probe"
    for key, value in model.items():
        if key in ("step_end", "epoch_end"):
            name = "probe_with_ends"
        elif key == "sched":
            params["sched_interval"], params["sched_frequency"] = value
        elif key == "bs_m1":
            params["skip_at"] = value
        elif key == "two":
            params["two"] = bool(value)
        else:
            params[key] = value
    return {"plugin": name, "params": params}


def trainer_section(trainer):
    """lightrun's settings, from the header's `trainer` (Python values as text)."""
    settings = {name: ast.literal_eval(text) for name, text in trainer.items()}
    return {"accumulation_divisor": "fixed", "log_every_n_steps": 1, **settings}


def read_checkpoint(path):
    """Tensors (float32 only) and the run state of a safetensors checkpoint."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
    return tensors, json.loads(metadata["lightrun.run_state"])


def check_final(final, folder):
    """What is wrong with the run's end, as a list of texts."""
    tensors, state = read_checkpoint(folder / "checkpoints" / "last.ckpt")
    faults = [
        f"{name}: want {final[name]}, got {state[name]}"
        for name in ("global_step", "batches_seen")
        if state[name] != final[name]
    ]
    for name in ("w", "v"):
        if any(abs(a - b) > TOLERANCE for a, b in zip(final[name], tensors[name], strict=True)):
            faults.append(f"{name}: want {final[name]}, got {tensors[name]}")
    return faults


def main():
    lightrun, plugin_dir, case_path = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    lines = [json.loads(line) for line in case_path.read_text().splitlines() if line.strip()]
    header, final = lines[0], lines[-1]["final"]
    config = {"model": model_section(header["model"]), "trainer": trainer_section(header["trainer"])}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        (scratch / "case.yaml").write_text(json.dumps(config))  # JSON is YAML
        trace = scratch / "trace.jsonl"
        run = subprocess.run(
            [lightrun, "train", "case.yaml", "--plugin-dir", plugin_dir, "--trace", str(trace)],
            cwd=scratch, capture_output=True, text=True,
        )
        wanted_exit = NONFINITE_EXIT if final["error"] else 0
        if run.returncode != wanted_exit:
            print(f"exit code {run.returncode}, want {wanted_exit}\n{run.stdout}{run.stderr}")
            return 1
        if subprocess.run([sys.executable, HERE / "compare.py", case_path, trace]).returncode != 0:
            return 1
        if "fast_dev_run" in header["trainer"] or final["error"]:
            return 0  # nothing was saved: one writes no files, the other ended before its first epoch did
        faults = check_final(final, scratch / "runs" / "case" / "0")
        print("\n".join(faults) or "counters and weights equal")
        return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
