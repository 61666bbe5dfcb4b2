"""How far a recorded training can be compared: where lightrun, on purpose, goes another way from some batch on.

The differences are those of shared/oracle/README.md and of hooks.md's section 3.
"""
from dataclasses import dataclass


@dataclass
class Limit:
    """Up to and including batch `position`, (epoch, batch_idx)."""

    position: tuple
    with_step: bool  # is that batch's own step still the same?
    with_validation: bool  # ... and a validation after it?
    why: str


def place(event):
    return (event["epoch"], event["batch_idx"])


def version(case):
    return tuple(int(part) for part in case["lightning"].split(".")[:2])


def windows(result):
    """The batches that close an accumulation window, in order."""
    return list(dict.fromkeys(place(step) for step in result["steps"]))


def schedule_limit(case, result):
    """Difference 6, row 25: an `interval: step` schedule counts optimizer steps, not batches."""
    scheduler = case["scheduler"]
    if not scheduler or scheduler["interval"] != "step":
        return None
    recorded = {place(step) for step in result["scheduler_steps"]}
    for number, window in enumerate(windows(result), start=1):
        if (window in recorded) != (number % scheduler["frequency"] == 0):
            return Limit(window, True, True, "from here the schedule counts optimizer steps, not batches")
    return None


def validation_limit(case, result):
    """Row 3: 0.x and 1.x clear the gradients of an open window when they validate."""
    if version(case) >= (2, 0):
        return None
    closed = set(windows(result))
    for validation in result["validation"]:
        if place(validation) not in closed:
            return Limit(place(validation), False, True, "this validation cleared an open window's gradients")
    return None


def remainder_limit(case, result):
    """Row 1: before 0.9 an epoch's last, short window makes no step."""
    last = max((place(forward) for forward in result["forward"] if forward["epoch"] == 0), default=None)
    if version(case) >= (0, 9) or last is None or last in windows(result):
        return None
    return Limit(last, False, False, "the recording makes no step with the epoch's last, short window")


def limit_of(case, result):
    """The earliest of them; None: all can be compared."""
    limits = [check(case, result) for check in (schedule_limit, validation_limit, remainder_limit)]
    return min((limit for limit in limits if limit), key=lambda limit: limit.position, default=None)


def has_lbfgs(case):
    return any(optimizer["kind"] == "lbfgs" for optimizer in case["optimizers"])


def has_uncleared_closure(case):
    """Row 7: before 1.2 LBFGS's closure never clears gradients, and one forward runs before it."""
    return has_lbfgs(case) and version(case) < (1, 2)
