"""lightrun against a hand-written LibTorch loop, on the same nets, samples and order.

bench.py LIGHTRUN HAND_LOOP PLUGIN_DIR [--rounds N] [--only TEXT] [--json FILE]

Of each case three processes live side by side and take turns, a round of batches each: the hand-written loop, the
same with lightrun's allocator settings, and `lightrun train`. A time is the median of its rounds; a ratio is the
median of the rounds' ratios, lightrun's over its neighbour's.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

# Batches in a round: some 50 to 100 ms. (The last epoch's rest is part of a round, too.)
BATCHES = {"tiny": 500, "mlp": 100, "lenet": 30, "lstm": 10, "deep": 20}
STEPS_A_BATCH = {"lstm": 4}
# Relative: the order of additions differs. A hundred layers make much of it.
SAME_LOSS = {"tiny": 1e-3, "mlp": 1e-3, "lenet": 1e-3, "lstm": 1e-3, "deep": 2e-2}

TRAINER = """\
seed: 1
model: {{plugin: {plugin}{params}}}
trainer:
  max_epochs: -1
  enable_progress_bar: false
{features}{tbptt}
optimizer: {optimizer}
callbacks:
  - {{type: plugin, name: pace, params: {{batches: {batches}}}}}
"""
OPTIMIZERS = {"sgd": "{type: sgd, lr: 1e-3, momentum: 0.9}", "adam": "{type: adam, lr: 1e-3}"}
FEATURES = "  gradient_clip_val: 1.0\n  terminate_on_nan: true\n  track_grad_norm: 2\n"


def config(workload, optimizer, features):
    is_lstm = workload == "lstm"
    return TRAINER.format(
        plugin="bench_lstm" if is_lstm else "bench_net",
        params="" if is_lstm else f", params: {{workload: {workload}}}",
        features=FEATURES if features == "features" else "",
        tbptt="  truncated_bptt_steps: 16\n" if is_lstm else "",
        optimizer=OPTIMIZERS[optimizer],
        batches=BATCHES[workload],
    )


class Loop:
    """A process that trains a round when it is told to."""

    def __init__(self, command, folder, env=()):
        self.started = time.monotonic_ns()
        self.errors = open(folder / "stderr.txt", "w+")
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env={**os.environ, **dict(env)})
        self.start_s = (int(self.answer("first")[0]) - self.started) / 1e9
        self.times = []
        self.loss = None

    def answer(self, word):
        for line in self.process.stdout:
            if line.startswith(word + " "):
                return line.split()[1:]
        self.errors.seek(0)
        sys.exit(f"bench.py: {self.process.args} ended: {self.errors.read()}")

    def round(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        elapsed, loss = self.answer("round")
        self.loss = float(loss)
        return int(elapsed)

    def end(self):
        """The most memory it had, in MiB."""
        self.process.stdin.close()
        self.process.stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            self.errors.seek(0)
            sys.exit(f"bench.py: {self.process.args} ended with {self.process.returncode}: {self.errors.read()}")
        return usage.ru_maxrss / 1024


def measure(options, workload, optimizer, features):
    with tempfile.TemporaryDirectory() as name:
        folders = {kind: pathlib.Path(name, kind) for kind in ("hand", "tuned", "lightrun")}
        for folder in folders.values():
            folder.mkdir()
        (folders["lightrun"] / "run.yaml").write_text(config(workload, optimizer, features))
        by_hand = [options.hand_loop, workload, optimizer, features, str(BATCHES[workload])]
        with_lightrun = [options.lightrun, "train", "run.yaml", "--plugin-dir", options.plugin_dir]
        loops = {
            "hand": Loop(by_hand, folders["hand"]),
            "tuned": Loop(by_hand, folders["tuned"], {"LIGHTRUN_BENCH_TUNED": "1"}),
            "lightrun": Loop(with_lightrun + options.flags, folders["lightrun"]),
        }
        for loop in loops.values():
            loop.round()  # warm caches, grown heaps
        losses = {kind: loop.loss for kind, loop in loops.items()}
        if abs(losses["hand"] - losses["lightrun"]) > SAME_LOSS[workload] * max(1, abs(losses["hand"])):
            sys.exit(f"bench.py: {workload} {optimizer} {features}: the loops have different losses: {losses}")
        for _ in range(options.rounds):
            for loop in loops.values():
                loop.times.append(loop.round())
        memory = {kind: loop.end() for kind, loop in loops.items()}
    steps = BATCHES[workload] * STEPS_A_BATCH.get(workload, 1)
    ratio = lambda other: statistics.median(
        ours / theirs for ours, theirs in zip(loops["lightrun"].times, loops[other].times))
    return {
        "workload": workload, "optimizer": optimizer, "features": features,
        "us_per_step": {kind: statistics.median(loop.times) / steps / 1e3 for kind, loop in loops.items()},
        "ratio": ratio("hand"), "ratio_tuned": ratio("tuned"),
        "start_s": {kind: loop.start_s for kind, loop in loops.items()},
        "peak_mib": memory, "loss": losses,
    }


def row(result):
    us, start, peak = result["us_per_step"], result["start_s"], result["peak_mib"]
    return (f"{result['workload']:7}{result['optimizer']:6}{result['features']:10}"
            f"{us['hand']:9.0f}{us['tuned']:9.0f}{us['lightrun']:10.0f}{result['ratio']:9.2f}{result['ratio_tuned']:9.2f}"
            f"{start['hand']:9.2f}{start['lightrun']:9.2f}{peak['hand']:8.0f}{peak['lightrun']:9.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lightrun")
    parser.add_argument("hand_loop")
    parser.add_argument("plugin_dir")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="cases whose name has this in it: 'tiny', 'lenet adam'")
    parser.add_argument("--json", help="also write the results to this file")
    parser.add_argument("--flags", default="", help="more flags for lightrun train, separated by spaces")
    options = parser.parse_args()
    options.flags = options.flags.split()
    print("a step in us: of the hand-written loop, of the same with lightrun's allocator settings, of lightrun\n"
          f"{'':23}{'hand':>9}{'tuned':>9}{'lightrun':>10}{'ratio':>9}{'to tuned':>9}"
          f"{'start s':>9}{'lightrun':>9}{'MiB':>8}{'lightrun':>9}", flush=True)
    results = []
    for workload in BATCHES:
        for features in ("plain", "features"):
            for optimizer in OPTIMIZERS:
                if options.only not in f"{workload} {optimizer} {features}":
                    continue
                results.append(measure(options, workload, optimizer, features))
                print(row(results[-1]), flush=True)
    if not results:
        sys.exit(f"bench.py: no case has '{options.only}' in its name")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=2) + "\n")


main()
