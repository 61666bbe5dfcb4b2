"""What a run wrote down, held against a recorded training's result.json and final.*.npy."""
import math

from npy_file import read_npy
from parity_limits import has_lbfgs, limit_of, place

# LibTorch's C++ LBFGS computes its step length in double, Python's in float32: a plain C++ loop over lbfgs_fixed
# deviates from the recording as lightrun does, by 2.8e-5 in the last gradient's norm.
LBFGS_NORM_TOLERANCE = 1e-4
RATE_TOLERANCE = 1e-6  # relative: rates are small, and come from a formula
PLACE = ("epoch", "batch_idx", "split_idx", "opt_idx", "global_step")
MOST_FAULTS = 10


class Comparison:
    """Gathers faults, and the largest deviation of each kind of number."""

    def __init__(self, case):
        self.tolerance = case["tolerance"]
        self.norm_tolerance = max(self.tolerance, LBFGS_NORM_TOLERANCE) if has_lbfgs(case) else self.tolerance
        self.faults = []
        self.largest = {}

    def number(self, kind, where, got, want):
        if want is None:
            return
        got = math.nan if got is None else got
        scale = abs(want) if kind == "rate" else max(1.0, abs(want))
        deviation = abs(got - want) / (scale or 1.0)
        if math.isnan(got) and math.isnan(want) or got == want:
            deviation = 0.0
        self.largest[kind] = max(self.largest.get(kind, 0.0), deviation, key=lambda d: (math.isnan(d), d))
        if not deviation <= self.tolerance_of(kind):
            self.faults.append(f"{kind} {where}: want {want}, got {got}")

    def tolerance_of(self, kind):
        if kind == "rate":
            return RATE_TOLERANCE
        return self.norm_tolerance if kind.startswith("gradient norm") else self.tolerance

    def equal(self, what, got, want):
        if want is not None and got != want:
            self.faults.append(f"{what}: want {want}, got {got}")

    def series(self, kind, got, want, numbers):
        """Two lists of events: same places, same numbers. `numbers`: kind, recorded name, name in the run."""
        self.equal(f"number of {kind}s", len(got), len(want))
        for i, (ours, recorded) in enumerate(zip(got, want)):
            for name in PLACE:
                self.equal(f"{kind} {i}: {name}", ours[name], recorded.get(name))
            for number_kind, recorded_name, name in numbers:
                self.number(number_kind, f"at {kind} {i}", ours[name], recorded[recorded_name])

    def report(self):
        for kind, deviation in self.largest.items():
            print(f"{kind}: largest deviation {deviation:.2g}")
        hidden = len(self.faults) - MOST_FAULTS
        return self.faults[:MOST_FAULTS] + ([f"... and {hidden} faults more"] if hidden > 0 else [])


def until(events, limit, included):
    if limit is None:
        return events
    return [event for event in events if place(event) < limit.position or included and place(event) == limit.position]


def steps_with_norms(case, result):
    """The recorded steps. For LBFGS the norm was read before the step: the last closure's is what it steps with."""
    if not has_lbfgs(case):
        return result["steps"]
    last = {tuple(forward[name] for name in PLACE): forward["grad_norm_sum"] for forward in result["forward"]}
    return [step | {"grad_norm_at_step": last[tuple(step[name] for name in PLACE)]} for step in result["steps"]]


def compare_events(comparison, case, result, record, limit):
    def ours(kind, included):
        return until([line for line in record if line["kind"] == kind], limit, included)

    forwards = until(result["forward"], limit, True)
    comparison.series("forward", ours("forward", True), forwards, [("loss", "loss", "loss")])
    norms = [("gradient norm after backward", "grad_norm_sum", "grad_norm")]
    comparison.series("backward", ours("backward", True), forwards, norms)
    with_step = limit is None or limit.with_step
    comparison.series(
        "step", ours("step", with_step), until(steps_with_norms(case, result), limit, with_step),
        [("rate", "lr", "lr"), ("gradient norm at the step", "grad_norm_at_step", "grad_norm"),
         ("parameter norm after the step", "param_norm_after", "param_norm_after")],
    )  # fmt: skip
    with_validation = limit is None or limit.with_validation
    validations = until(result["validation"], limit, with_validation)
    comparison.series("validation", ours("validation", with_validation), validations,
                      [("val_loss", "val_loss", "val_loss")])  # fmt: skip


def compare_end(comparison, folder, result, tensors, state):
    comparison.equal("final global_step", state["global_step"], result["final_global_step"])
    comparison.equal("batches seen", state["batches_seen"], result["total_batch_idx"])
    for path in sorted(folder.glob("final.*.npy")):
        name = path.name[len("final.") : -len(".npy")]
        want = read_npy(path)
        got = tensors.get(name, [])
        comparison.equal(f"{name}: number of values", len(got), len(want))
        for i, pair in enumerate(zip(got, want)):
            comparison.number("final weights", f"{name}[{i}]", *pair)


def compare_schedule(comparison, result, trace, limit):
    """When the schedule stepped."""
    ours = [event for event in trace if event.get("who") == "scheduler"]
    with_step = limit is None  # the step that differs is the schedule's, or follows one that differs
    wanted = [place(event) for event in until(result["scheduler_steps"], limit, with_step)]
    comparison.equal("steps of the schedule", [place(event) for event in until(ours, limit, with_step)], wanted)


def compare(case, folder, result, run):
    """The faults, as texts. `run`: what the run wrote down (record, trace, checkpoint)."""
    comparison = Comparison(case)
    limit = limit_of(case, result)
    compare_events(comparison, case, result, run["record"], limit)
    compare_schedule(comparison, result, run["trace"], limit)
    if limit is None:
        compare_end(comparison, folder, result, *run["checkpoint"])
    else:
        print(f"compared until epoch {limit.position[0]}, batch {limit.position[1]} only: {limit.why}")
    return comparison.report()


def compare_with_uncleared_closure(case, folder, result, run):
    """Row 7: what lightrun must do where 0.x's LBFGS went wrong: not the same."""
    print("recorded with the LBFGS whose closure never clears gradients: lightrun must give other numbers, from one "
          "forward fewer a batch, and a loss that is no worse at the end than at the start")  # fmt: skip
    comparison = Comparison(case)
    ours = [line for line in run["record"] if line["kind"] == "forward"]
    for position in dict.fromkeys(map(place, result["forward"])):
        counts = [sum(place(forward) == position for forward in forwards) for forwards in (ours, result["forward"])]
        comparison.equal(f"forwards in epoch {position[0]}, batch {position[1]}", counts[0], counts[1] - 1)
    if not ours:
        return comparison.report()
    comparison.number("loss", "at the first forward", ours[0]["loss"], result["forward"][0]["loss"])
    batch = [forward for forward in ours if forward["batch_idx"] == ours[0]["batch_idx"]]
    if not batch[-1]["loss"] <= batch[0]["loss"]:
        comparison.faults.append(f"the first batch's loss went from {batch[0]['loss']} to {batch[-1]['loss']}")
    tensors = run["checkpoint"][0]
    scale = case["tolerance"] * 10
    same = all(
        abs(got - want) <= scale * max(1.0, abs(want))
        for path in folder.glob("final.*.npy")
        for got, want in zip(tensors[path.name[len("final.") : -len(".npy")]], read_npy(path), strict=True)
    )
    if same:
        comparison.faults.append("the final weights are those of the closure that never clears gradients")
    return comparison.report()
