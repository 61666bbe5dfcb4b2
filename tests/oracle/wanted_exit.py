"""Which exit code a case must end in, and what its error must name."""
import math
import re

from trace_config import METRIC_NAMES, RENAMED, callbacks_section, value_of

OK, CONFIG, RUNTIME, NONFINITE = 0, 3, 5, 6
# shared/oracle/README.md: "`0` for an interval or a count that makes no sense is a config error".
POSITIVE = {
    "max_steps", "check_val_every_n_epoch", "val_check_interval", "row_log_interval", "accumulate_grad_batches",
    "truncated_bptt_steps",
}  # fmt: skip
NOT_NEGATIVE = {"max_epochs", "gradient_clip_val"}


def senseless(trainer):
    """Arguments that Lightning takes for `off` or `none at all`, or crashes on, and lightrun refuses."""
    names = []
    for name, text in trainer.items():
        value = value_of(text)
        values = value.values() if isinstance(value, dict) else [value]
        numbers = [number for number in values if isinstance(number, (int, float)) and not isinstance(number, bool)]
        lowest = min(numbers, default=1)
        if lowest < 0 and name in NOT_NEGATIVE | POSITIVE or lowest == 0 and name in POSITIVE:
            names.append(RENAMED.get(name, name))
    return names


def missing_monitor(recording):
    """Row 17: a checkpoint's metric that is not there; 0.x only warns."""
    known = {"val_loss", *METRIC_NAMES.values()}
    validates = any(event["hook"] == "on_validation_end" for event in recording.events)
    monitors = [
        entry["monitor"] for entry in callbacks_section(recording.trainer)
        if entry["type"] == "model_checkpoint" and entry.get("monitor", "val_loss") not in known
    ]  # fmt: skip
    return monitors if validates else []


def named_in(error, recording):
    """The metrics and arguments that Lightning's error speaks of, under lightrun's names."""
    monitors = [entry["monitor"] for entry in callbacks_section(recording.trainer) if "monitor" in entry]
    if recording.model.get("sched") == "plateau":
        monitors.append("nope")
    words = set(re.findall(r"\w+", error))
    return sorted({RENAMED.get(word, word) for word in words & {*monitors, *recording.trainer}})


def wanted_exit(recording):
    """The exit codes that are right, the names that stderr must have, and why."""
    error, final = recording.final["error"], recording.final
    if any(note.startswith("Lightning") for note in recording.notes):  # difference 5
        return {OK}, [], "lightrun runs to the end"
    if error and re.search(r"\bnan\b.*\binf\b", error):
        return {NONFINITE}, [], "not finite"
    if names := senseless(recording.trainer):
        return {CONFIG}, names, "a value without a meaning is a config error"
    if error:
        return {CONFIG, RUNTIME}, named_in(error, recording), f"Lightning: {error}"
    if final["batches_seen"] == 0 and value_of(recording.trainer.get("max_epochs", "2")) > 0:
        return {CONFIG}, ["limit_train_batches"], "row 23: no batches to train on is a config error"
    if names := missing_monitor(recording):
        return {CONFIG, RUNTIME}, names, "row 17: a checkpoint's metric that is not there is an error"
    if recording.setting("terminate_on_nan", False) and not all(map(math.isfinite, final["w"] + final["v"])):
        return {NONFINITE}, [], "row 28: weights that the very last step spoils are noticed"
    return {OK}, [], "runs to the end"
