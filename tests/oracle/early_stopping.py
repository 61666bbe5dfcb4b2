"""Where a run with early stopping ends, when min_epochs or min_steps holds the stop back."""
import math

from trace_config import callbacks_section


def asks_to_stop(values, patience=3, min_delta=0.0, mode="min", **_ignored):
    """After which of these validations (from 0) EarlyStopping asks for the end; None: never."""
    sign = 1 if mode == "min" else -1
    best, waited = math.inf, 0
    for i, value in enumerate(values):
        if not math.isfinite(value):
            return i  # hooks.md row 34
        if sign * value < best - abs(min_delta):
            best, waited = sign * value, 0
        else:
            waited += 1
            if waited >= patience:
                return i
    return None


def steps_done(events):
    """Optimizer windows that were closed."""
    return len({(event["epoch"], event["batch_idx"]) for event in events if event["hook"] == "optimizer_step"})


def end_of_run(recording):
    """Index behind the last event of the batch after which the run must end; None where it is as recorded."""
    entries = [entry for entry in callbacks_section(recording.trainer) if entry["type"] == "early_stopping"]
    if not entries or entries[0].get("monitor", "val_loss") != "val_loss" or recording.final["error"]:
        return None
    events = recording.events
    runs = [i for i, event in enumerate(events) if event["hook"] == "on_validation_end"]
    values = list(recording.model.get("vals", []))[: len(runs)]
    values += [1.0] * (len(runs) - len(values))
    asked = asks_to_stop(values, **{key: entries[0][key] for key in entries[0] if key != "type"})
    if asked is None:
        return None
    min_steps = recording.setting("min_steps") or 0
    min_epochs = recording.setting("min_epochs", 1) or 0
    ends = batch_ends(events)
    for number, (end, last_of_epoch) in enumerate(ends):
        done = events[end - 1]["epoch"] + (1 if last_of_epoch else 0)
        enough_epochs = done >= min_epochs or min_epochs <= 1
        if end > runs[asked] and enough_epochs and steps_done(events[:end]) >= min_steps:
            return end if number + 1 < len(ends) else None
    return None


def batch_ends(events):
    """Of each batch: the index behind its events (a validation after it included), and whether it ends its epoch."""
    ends = []
    for i, event in enumerate(events):
        if event["hook"] not in ("on_train_batch_end", "on_validation_end") and event["who"] != "scheduler":
            continue
        following = next((e["hook"] for e in events[i + 1 :] if e["who"] not in ("checkpoint", "scheduler")), "")
        if following in ("on_batch_start", "training_epoch_end", "on_epoch_end"):
            if ends and ends[-1][2] == (event["epoch"], event["batch_idx"]):
                ends.pop()
            last = following != "on_batch_start"
            ends.append((i + 1, last, (event["epoch"], event["batch_idx"])))
    return [(end, last) for end, last, _ in ends]
