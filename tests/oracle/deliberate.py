"""Where lightrun differs from the recordings on purpose, and what a recording is corrected to for it.

The list is shared/oracle/README.md's; `row n` is a row of hooks.md's section 3, where lightrun does what later
Lightnings do. Each correction takes a Recording, changes it where the difference shows, and answers what it
did (None: nothing). Differences that compare.py and the config see to: 1 (hooks that are left out), 2
(`accumulation_divisor: fixed`), 7 (only the events before an error are compared), 8 (both close what they
started), row 30 (`fast_dev_run` is a bool).
"""
import copy
import math
from dataclasses import dataclass, field

import early_stopping
from probe_arithmetic import weights_after
from trace_config import value_of

BATCH_HOOKS = ("training_step", "backward", "on_after_backward")


@dataclass
class Recording:
    header: dict
    events: list
    final: dict
    weights_known: bool = True  # final's w and v are what lightrun must reach
    recompute: bool = False  # ... once they are computed anew from the events
    notes: list = field(default_factory=list)

    @property
    def model(self):
        return self.header["model"]

    @property
    def trainer(self):
        return self.header["trainer"]

    def setting(self, name, default=None):
        return value_of(self.trainer[name]) if name in self.trainer else default


def is_hook(event, who, hook):
    return event["who"] == who and event["hook"] == hook


def epoch_end_counts_no_step(recording):
    """Difference 3, row 4: 0.8 and 0.9 raise global_step once more an epoch where training_epoch_end is overridden."""
    ended = 0
    for event in recording.events:
        ended += is_hook(event, "model", "training_epoch_end")
        event["global_step"] -= ended
    if not ended:
        return None
    recording.final["global_step"] -= ended
    max_steps = recording.setting("max_steps")
    if max_steps and recording.final["global_step"] + ended >= max_steps:
        recording.trainer["max_steps"] = str(recording.final["global_step"])
    return f"global_step lowered by 1 an epoch, {ended} in all: training_epoch_end does not raise it"


def sanity_check_runs_all(recording):
    """Difference 4, row 20: min(N, available) batches; 0.9.0 takes the limit 1.0 for one batch."""
    wanted = recording.setting("num_sanity_val_steps", 0)
    limit = recording.setting("limit_val_batches", 1.0)
    batches = recording.model.get("nv", 2)
    available = int(limit * batches) if isinstance(limit, float) else min(limit, batches)
    wanted = available if wanted < 0 else min(wanted, available)
    hooks = [(event["who"], event["hook"]) for event in recording.events]
    if ("callback", "on_sanity_check_start") not in hooks:
        return None
    begin = hooks.index(("callback", "on_sanity_check_start"))
    end = hooks.index(("callback", "on_sanity_check_end"))
    starts = [i for i in range(begin, end) if hooks[i] == ("callback", "on_validation_batch_start")]
    if not 0 < len(starts) < wanted:
        return None
    last_end = max(i for i in range(begin, end) if hooks[i][1] == "on_validation_batch_end") + 1
    missing = wanted - len(starts)
    recording.events[last_end:last_end] = copy.deepcopy(recording.events[starts[-1] : last_end]) * missing
    return f"the sanity check has {wanted} batches, {missing} more than recorded"


def skipped_batch_is_not_counted(recording):
    """Difference 5, row 5: 0.7.6 counts the batch at which the rest of the epoch is skipped."""
    if "bs_m1" not in recording.model or recording.final["error"]:
        return None
    epoch, batch = recording.model["bs_m1"]
    skipped = [
        event for event in recording.events
        if is_hook(event, "callback", "on_batch_start") and (event["epoch"], event["batch_idx"]) == (epoch, batch)
    ]  # fmt: skip
    if not skipped:
        return None
    after = recording.events.index(skipped[0])
    for event in recording.events[after:]:
        event["global_step"] -= event["epoch"] > epoch
    recording.final["global_step"] -= 1
    recording.final["batches_seen"] -= 1
    return "the skipped batch counts neither as a step nor as a batch seen"


def crash_is_fixed(recording):
    """Difference 5, rows 5 and 6: 0.9.0 crashes on a skipped epoch and on optimizer frequencies."""
    error = recording.final["error"] or ""
    if not ("bs_m1" in recording.model and "AttributeError" in error or "freq" in recording.model and "Index" in error):
        return None
    recording.weights_known = False
    return f"Lightning {recording.header['lightning']} crashes here ({error[:40]}...), lightrun must not"


def stop_stays_latched(recording):
    """Rows 13 and 14: a stop that min_epochs or min_steps holds back takes effect at exactly that epoch or step."""
    end = early_stopping.end_of_run(recording)
    if end is None:
        return None
    tail = max(i for i, event in enumerate(recording.events) if event["hook"] == "on_train_epoch_start") + 1
    tail += next(
        i for i, event in enumerate(recording.events[tail:])
        if event["hook"] in ("training_epoch_end", "on_epoch_end")
    )  # fmt: skip
    whole_epoch = recording.events[end]["hook"] != "on_batch_start"
    recording.events[end:tail] = []
    if not whole_epoch:  # its schedule is for whole epochs
        recording.events[end:] = [event for event in recording.events[end:] if event["who"] != "scheduler"]
    ends = [event for event in recording.events if is_hook(event, "callback", "on_train_batch_end")]
    recording.final["batches_seen"] = len(ends)
    recording.final["global_step"] = early_stopping.steps_done(recording.events)
    recording.recompute = True
    return f"the stop stays latched: the run ends after {len(ends)} batches"


def stream_is_validated(recording):
    """Row 22: a stream is validated where limit_train_batches ends its epoch; 0.9.0 never does."""
    limit = recording.setting("limit_train_batches", 1.0)
    interval = recording.setting("val_check_interval", 1.0)
    if not recording.model.get("stream") or recording.model.get("val", True) is False or isinstance(limit, float):
        return None
    every = recording.setting("check_val_every_n_epoch", 1)
    if interval != 1.0 or isinstance(interval, int) or recording.setting("limit_val_batches", 1.0) == 0:
        return None
    events, added = [], 0
    for i, event in enumerate(recording.events):
        events.append(event)
        following = recording.events[i + 1 : i + 2]
        if is_hook(event, "model", "on_train_batch_end") and event["batch_idx"] + 1 == limit:
            if (event["epoch"] + 1) % every == 0 and following[0]["hook"] != "on_validation_start":
                events += validation(recording, event)
                added += 1
    recording.events = events
    return f"{added} validations added at the ends of a limited stream's epochs" if added else None


def validation(recording, event):
    """The events of a validation after `event`."""
    place = {name: event[name] for name in ("epoch", "batch_idx", "global_step")}
    limit = recording.setting("limit_val_batches", 1.0)
    batches = recording.model.get("nv", 2)
    batches = int(batches * limit) if isinstance(limit, float) else min(batches, limit)
    callback, model = ("callback",), ("model",)
    both = callback + model
    batch = [("on_validation_batch_start", both), ("validation_step", model), ("on_validation_batch_end", both)]
    hooks = [("on_validation_start", callback), ("on_validation_epoch_start", both)] + batch * batches
    hooks += [("validation_epoch_end", model), ("on_validation_epoch_end", both), ("on_validation_end", callback)]
    return [{"who": who, "hook": hook, **place} for hook, whos in hooks for who in whos]


def step_schedule_counts_steps(recording):
    """Difference 6, row 25: a schedule with interval `step` counts optimizer steps; Lightning looks at batch_idx."""
    schedule = recording.model.get("sched")
    if not isinstance(schedule, list) or schedule[0] != "step":
        return None
    recorded = [event for event in recording.events if event["who"] == "scheduler"]
    events, pending = [], []
    for event in recording.events:
        if event["hook"] in ("on_batch_start", "training_epoch_end", "on_epoch_end"):
            events += pending
            pending = []
        if event["who"] != "scheduler":
            events.append(event)
        closes = event["hook"] == "optimizer_zero_grad" and not pending
        if closes and (event["global_step"] + 1) % schedule[1] == 0:
            place = {name: event[name] for name in ("epoch", "batch_idx", "global_step")}
            pending = [{"who": "scheduler", "hook": "step", **place}] * (2 if recording.model.get("two") else 1)
    corrected = [event for event in events if event["who"] == "scheduler"]
    places = [[(e["epoch"], e["batch_idx"]) for e in steps] for steps in (recorded, corrected)]
    if places[0] == places[1]:
        return None
    recording.events = events
    recording.recompute = True
    return f"the schedule steps {len(corrected)} times, at every {schedule[1]}. optimizer step, not at {len(recorded)}"


def lbfgs_evaluates_only_in_step(recording):
    """Row 7: 0.x runs one forward/backward before O.step(closure), and its closure never clears gradients."""
    if not recording.model.get("lbfgs"):
        return None
    hooks = [event["hook"] for event in recording.events]
    extra = set()
    for i in (i for i, hook in enumerate(hooks) if hook == "optimizer_step"):
        first = max(j for j in range(i) if hooks[j] == "training_step")
        extra.update(j for j in range(first, i) if hooks[j] in (*BATCH_HOOKS, "training_step_end"))
    recording.events = [event for i, event in enumerate(recording.events) if i not in extra]
    recording.weights_known = False
    return "no forward/backward before an LBFGS step; the recorded weights are the uncleared closure's, and are not "\
        "compared: parity/lbfgs_fixed compares LBFGS's numbers"  # fmt: skip


def validation_keeps_gradients(recording):
    """README's parity section, row 3: 0.x clears the gradients of an open window when it validates."""
    if not recording.weights_known or recording.recompute or recording.final["error"]:
        return None
    open_window = False
    for event in recording.events:
        if event["hook"] in ("backward", "optimizer_zero_grad"):
            open_window = event["hook"] == "backward"
        if event["hook"] == "on_validation_start" and open_window:
            recording.recompute = True
            return "a validation in an open window leaves its gradients alone"
    return None


CORRECTIONS = (
    epoch_end_counts_no_step, sanity_check_runs_all, skipped_batch_is_not_counted, crash_is_fixed,
    stop_stays_latched, stream_is_validated, lbfgs_evaluates_only_in_step, step_schedule_counts_steps,
    validation_keeps_gradients,
)  # fmt: skip


def corrected(header, events, final):
    """What lightrun must do where this was recorded."""
    recording = Recording(*copy.deepcopy((header, events, final)))
    for correction in CORRECTIONS:
        note = correction(recording)
        if note:
            recording.notes.append(note)
    if recording.recompute and not math.isnan(recording.final["w"][0]):
        recording.final |= weights_after(recording.header, recording.events)
    return recording
