#!/usr/bin/env python3
"""Hold what `lightrun plan` says about a recorded case against the trace of the run itself.

usage: run_plan_case.py LIGHTRUN PLUGIN_DIR traces/CASE.jsonl
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # the sources' folder stays as it is

from deliberate import corrected
from run_trace_case import read_lines
from trace_config import config_of


def run(lightrun, plugin_dir, command, trace, scratch, *more):
    words = [lightrun, command, "case.yaml", "--plugin-dir", plugin_dir, "--trace", trace, *more]
    done = subprocess.run(words, cwd=scratch, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"lightrun {command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def first_epoch(events):
    """Up to the first line of the second one."""
    end = next((i for i, event in enumerate(events) if event["epoch"] > 0), len(events))
    return events[:end]


def difference(planned, real):
    """The first line that differs, or ""."""
    for i, (plan, truth) in enumerate(zip(planned, real)):
        if plan != truth:
            return f"hook {i}: planned {plan}, it was {truth}"
    return "" if len(planned) == len(real) else f"{len(planned)} hooks planned, it were {len(real)}"


def count_hooks(events, hook, who="callback"):
    return sum(event["hook"] == hook and event["who"] == who for event in events)


def number(text, pattern):
    return int(re.search(pattern, text).group(1).replace(",", ""))


def check(lightrun, plugin_dir, case, scratch):
    header, *events, last = read_lines(case)
    config = config_of(corrected(header, events, last["final"]).header)
    (scratch / "case.yaml").write_text(json.dumps(config))
    text = run(lightrun, plugin_dir, "plan", "plan.jsonl", scratch, "--hooks")
    if any(path.name not in ("case.yaml", "plan.jsonl") for path in scratch.iterdir()):
        return ["plan has written something else than its trace"]
    run(lightrun, plugin_dir, "train", "train.jsonl", scratch, "--quiet")
    planned, real = (read_lines(scratch / name) for name in ("plan.jsonl", "train.jsonl"))
    faults = [difference(planned, first_epoch(real))]
    wanted = {
        r"training +[\d,]+ epochs?, ([\d,]+) batch": count_hooks(real, "on_train_batch_end"),
        r"training .*, ([\d,]+) steps?": max(event["global_step"] for event in real),
    }
    validations = count_hooks(real, "on_validation_start")
    if validations:
        wanted[r"validation +(?:.*training; )?([\d,]+) of"] = validations
    faults += [
        f"{pattern}: planned {number(text, pattern)}, it were {count}"
        for pattern, count in wanted.items()
        if number(text, pattern) != count
    ]
    return [fault for fault in faults if fault]


def main():
    lightrun, plugin_dir, case = (Path(argument).resolve() for argument in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as scratch:
        faults = check(lightrun, plugin_dir, case, Path(scratch))
    print("\n".join(faults) or "the run did what was planned")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
