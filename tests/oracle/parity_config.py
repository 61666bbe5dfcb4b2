"""A recorded training's case.json as lightrun's config."""
from trace_config import LEFT_OUT, RENAMED

# PyTorch's names (of the recording, without `lr`, `annealing` and marks) -> lightrun's.
SCHEDULES = {
    "step": "step",
    "multistep": "multi_step",
    "exponential": "exponential",
    "cosine": "cosine",
    "cosinerestarts": "cosine_restarts",
    "cosinewarmrestarts": "cosine_restarts",
    "linear": "linear",
    "polynomial": "polynomial",
    "constant": "constant",
    "onecycle": "one_cycle",
    "plateau": "reduce_on_plateau",
    "reduceonplateau": "reduce_on_plateau",
}
# Off by default, or about speed alone.
NOT_ARGUMENTS_HERE = {"verbose", "last_epoch", "foreach", "maximize", "capturable", "differentiable", "fused"}


def has_several_optimizers(case):
    return len(case["optimizers"]) > 1


def arguments(args):
    given = {name.lower(): value for name, value in args.items() if value is not None}
    return {name: value for name, value in given.items() if name not in NOT_ARGUMENTS_HERE}


def scheduler_section(scheduler):
    kind = scheduler["kind"].lower().replace("_", "").replace("annealing", "").replace("lr", "")
    section = {"type": SCHEDULES.get(kind, scheduler["kind"])} | arguments(scheduler["args"])
    section |= {"interval": scheduler["interval"], "frequency": scheduler["frequency"]}
    if scheduler.get("monitor"):
        section["monitor"] = scheduler["monitor"]
    return section


def config_of(case, folder, record):
    """The whole config; JSON is YAML."""
    several = has_several_optimizers(case)
    if several and case["scheduler"]:
        raise ValueError("a schedule beside several optimizers: the recording does not say whose it is")
    trainer = {RENAMED.get(key, key): value for key, value in case["trainer"].items() if key not in LEFT_OUT}
    config = {
        "model": {
            "plugin": "parity_gan" if several else "parity",
            "params": {"case": str(folder), "record": str(record)},
        },
        # Recorded without a sanity check; accum_remainder: a short last window divided as Lightning does.
        "trainer": {"num_sanity_val_steps": 0, "accumulation_divisor": "fixed", "log_every_n_steps": 1} | trainer,
    }
    if not several:
        optimizer = case["optimizers"][0]
        config["optimizer"] = {"type": optimizer["kind"]} | arguments(optimizer["args"])
        if case["scheduler"]:
            config["scheduler"] = scheduler_section(case["scheduler"])
    return config
