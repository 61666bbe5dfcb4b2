"""What the probe's weights are after a list of events: the losses are linear, so a few lines of arithmetic."""
import math
import struct

from trace_config import value_of


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def accumulation_factor(trainer, epoch):
    factors = value_of(trainer.get("accumulate_grad_batches", "1"))
    if not isinstance(factors, dict):
        return factors
    reached = [start for start in factors if start <= epoch]
    return factors[max(reached)] if reached else 1


class Weights:
    """w and v (both elements of each are always equal) under plain SGD with StepLR(1, 0.5)."""

    def __init__(self, header):
        self.model, self.trainer = header["model"], header["trainer"]
        self.values = {"w": 1.0, "v": 1.0}
        self.gradients = {"w": 0.0, "v": 0.0}
        self.rates = [0.01] * (2 if self.model.get("two") else 1)
        self.steps = 0
        self.schedule_steps = 0
        self.input = math.nan

    def owned(self, event):
        if not self.model.get("two"):
            return ("w", "v")
        return ("v",) if event.get("optimizer_idx") else ("w",)

    def training_step(self, event):
        self.steps += 1
        length = event.get("split_len") or self.model.get("T") or 1
        self.input = length * (event["batch_idx"] + 1) / 10
        if self.steps == self.model.get("nan_at"):
            self.input = math.nan

    def backward(self, event):
        factor = accumulation_factor(self.trainer, event["epoch"])
        self.gradients[self.owned(event)[0]] += self.input / factor

    def optimizer_step(self, event):
        limit = value_of(self.trainer.get("gradient_clip_val", "0")) or 0
        norm = math.sqrt(sum(2 * gradient * gradient for gradient in self.gradients.values()))
        factor = min(1.0, limit / (norm + 1e-6)) if limit > 0 else 1.0
        for name in self.owned(event):
            rate = self.rates[event.get("optimizer_idx") or 0]
            self.values[name] = float32(self.values[name] - rate * factor * self.gradients[name])

    def optimizer_zero_grad(self, event):
        for name in self.owned(event):
            self.gradients[name] = 0.0

    def step(self, _event):
        self.rates[self.schedule_steps % len(self.rates)] *= 0.5
        self.schedule_steps += 1


def weights_after(header, events):
    weights = Weights(header)
    for event in events:
        is_step = (event["who"] == "scheduler") == (event["hook"] == "step")
        if is_step and event["who"] in ("model", "scheduler"):
            getattr(weights, event["hook"], lambda _event: None)(event)
    return {name: [value, value] for name, value in weights.values.items()}
