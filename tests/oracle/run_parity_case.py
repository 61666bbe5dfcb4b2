#!/usr/bin/env python3
"""Train one recorded Lightning training in lightrun, with its parameters side by side in memory and each by itself,
and compare every number.

usage: run_parity_case.py LIGHTRUN PLUGIN_DIR parity/CASE
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # the sources' folder stays as it is

from last_checkpoint import read_checkpoint
from parity_compare import compare, compare_with_uncleared_closure
from parity_config import config_of
from parity_limits import has_uncleared_closure

ERRORS = (3, 5, 6)


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def check(lightrun, plugin_dir, folder, scratch, flags):
    """All faults of a case."""
    case = json.loads((folder / "case.json").read_text())
    result = json.loads((folder / "result.json").read_text())
    record, trace = scratch / "record.jsonl", scratch / "trace.jsonl"
    (scratch / "case.yaml").write_text(json.dumps(config_of(case, folder, record)))
    command = [lightrun, "train", "case.yaml", "--plugin-dir", plugin_dir, "--trace", str(trace)] + flags
    run = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
    if case["raised"]:
        print(f"Lightning raised {case['raised']}; lightrun: exit code {run.returncode}, {run.stderr.strip()}")
        return [] if run.returncode in ERRORS else [f"exit code {run.returncode}, want one of {ERRORS}"]
    if run.returncode != 0:
        return [f"exit code {run.returncode}, want 0", run.stdout + run.stderr]
    done = {
        "record": read_lines(record),
        "trace": read_lines(trace),
        "checkpoint": read_checkpoint(scratch / "runs" / "case" / "0" / "checkpoints" / "last.ckpt"),
    }
    comparison = compare_with_uncleared_closure if has_uncleared_closure(case) else compare
    return comparison(case, folder, result, done)


def main():
    lightrun, plugin_dir, folder = (Path(argument).resolve() for argument in sys.argv[1:4])
    faults = []
    for flat in ("auto", "false"):
        with tempfile.TemporaryDirectory() as scratch:
            found = check(lightrun, plugin_dir, folder, Path(scratch), ["--flat_parameters", flat])
        faults += [f"flat_parameters {flat}: {fault}" for fault in found]
    print("\n".join(faults) or "all that was recorded is equal")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
