"""A recorded case's header (`model`, `trainer`) as lightrun's config."""
import ast
import re

# Lightning 0.9's name -> lightrun's.
RENAMED = {
    "row_log_interval": "log_every_n_steps",
    "train_percent_check": "limit_train_batches",
    "val_percent_check": "limit_val_batches",
    "overfit_pct": "overfit_batches",
}
# About what is shown or stored, not about the loop.
LEFT_OUT = {
    "logger", "weights_summary", "progress_bar_refresh_rate", "process_position", "log_save_interval",
    "default_root_dir", "weights_save_path", "profiler", "log_gpu_memory", "limit_test_batches",
}  # fmt: skip
CALLBACK_TYPES = {"EarlyStopping": "early_stopping", "ModelCheckpoint": "model_checkpoint"}
CALLBACK_ARGUMENTS = {
    "early_stopping": {"monitor", "patience", "min_delta", "mode", "strict"},
    "model_checkpoint": {"monitor", "mode"},
}
METRIC_NAMES = {"loss": "train_loss"}


def value_of(text):
    """The Python value a text stands for; the text itself where it is none (`inf`, `val_loss`)."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def callback_entry(name, arguments):
    """`EarlyStopping`, `monitor=val_loss, patience=1` as an entry of `callbacks:`."""
    kind = CALLBACK_TYPES[name]
    pairs = (argument.split("=", 1) for argument in arguments.split(",") if "=" in argument)
    given = {key.strip(): value_of(value.strip()) for key, value in pairs}
    entry = {"type": kind}
    entry |= {key: value for key, value in given.items() if key in CALLBACK_ARGUMENTS[kind] and value is not None}
    if entry.get("mode") == "auto":
        entry["mode"] = "max" if "acc" in entry.get("monitor", "") else "min"
    if "monitor" in entry:
        entry["monitor"] = METRIC_NAMES.get(entry["monitor"], entry["monitor"])
    return entry


def callbacks_section(trainer):
    """Every callback that the arguments name. With one given, the default checkpoint is given too."""
    if trainer.get("early_stop_callback") == "True":
        trainer = trainer | {"early_stop_callback": "EarlyStopping(monitor=val_loss, patience=3)"}
    entries = []
    for text in trainer.values():
        for name, arguments in re.findall(r"(\w+)\(([^()]*)\)", text):
            if name in CALLBACK_TYPES:
                entries.append(callback_entry(name, arguments))
    entries.sort(key=lambda entry: entry["type"] == "model_checkpoint")  # saves after what the others decide
    if entries and entries[-1]["type"] != "model_checkpoint":
        entries.append({"type": "model_checkpoint"})
    return entries


def trainer_section(trainer):
    """lightrun's settings, from the header's texts."""
    settings = {"max_epochs": 2, "num_sanity_val_steps": 0}  # the recorder's own defaults
    settings |= {"accumulation_divisor": "fixed", "log_every_n_steps": 1}  # difference 2: as Lightning divides
    for name, text in trainer.items():
        if name.endswith(("_callback", "callbacks")) or name in LEFT_OUT:
            continue
        value = value_of(text)
        if name == "fast_dev_run":
            value = bool(value)  # hooks.md row 30: a bool in 0.x, 2 means one batch
        settings[RENAMED.get(name, name)] = value
    return settings


def leaves_optimizer_to_config(model):
    """A schedule that looks at a metric, and LBFGS, are the config's to give; so is one optimizer only."""
    return not model.get("two") and (model.get("lbfgs") or model.get("sched") == "plateau")


def model_section(model):
    """The probe's class and parameters."""
    name = "configured_probe" if leaves_optimizer_to_config(model) else "probe"
    name += "_step_end" if model.get("step_end") else ""
    name += "_epoch_end" if model.get("epoch_end") else ""
    params = {}
    for key, value in model.items():
        if key in ("step_end", "epoch_end", "ck"):  # ck: trainer.checkpoint_callback again
            continue
        if key == "sched" and not isinstance(value, str):
            params["sched_interval"], params["sched_frequency"] = value
        elif key == "bs_m1":
            params["skip_at"] = value
        elif key in ("two", "tbptt", "lbfgs", "stream", "val"):
            params[key] = bool(value)
        elif key != "sched":
            params[key] = value
    return {"plugin": name, "params": params}


def optimizer_sections(model):
    """`optimizer` and `scheduler` where the config has them."""
    if not leaves_optimizer_to_config(model):
        return {}
    sections = {"optimizer": {"type": "sgd", "lr": 0.01}}
    if model.get("lbfgs"):
        sections["optimizer"] = {"type": "lbfgs", "lr": 0.01, "max_iter": 3}
    if model.get("sched") == "plateau":
        sections["scheduler"] = {"type": "reduce_on_plateau", "monitor": "nope"}
    elif model.get("sched"):
        interval, frequency = model["sched"]
        sections["scheduler"] = {
            "type": "step", "step_size": 1, "gamma": 0.5, "interval": interval, "frequency": frequency,
        }  # fmt: skip
    return sections


def config_of(header):
    """The whole config; JSON is YAML."""
    config = {"model": model_section(header["model"]), "trainer": trainer_section(header["trainer"])}
    config |= optimizer_sections(header["model"])
    callbacks = callbacks_section(header["trainer"])
    return config | ({"callbacks": callbacks} if callbacks else {})
