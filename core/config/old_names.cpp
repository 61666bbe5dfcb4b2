#include "config/deprecated.hpp"

#include <fmt/format.h>

namespace lightrun::config {

namespace {

using Converted = std::optional<Value>;

Value plain_at(const Value& old, std::string text) {
  Value value = Value::plain(std::move(text));
  value.mark = old.mark;
  return value;
}

/// The old fractions: 1 was everything, and 2 was nothing.
Converted fraction(const Value& old, const Report& report) {
  if (old.kind == Value::Kind::null) return std::nullopt;
  const auto number = parse_double(old.text).value;
  const bool is_fraction = old.kind == Value::Kind::scalar && !old.quoted && number && *number >= 0;
  if (!is_fraction || *number > 1) {
    report(old.mark, expected("a fraction from 0 to 1 (1 is everything)", old));
    return std::nullopt;
  }
  if (*number == 1) return plain_at(old, "1.0");
  return *number == 0 ? plain_at(old, "0") : old;
}

/// true and false become the texts `yes` and `no`; "" becomes nothing.
auto from_bool(std::string yes, std::string no, std::string otherwise = "") {
  return [yes, no, otherwise](const Value& old, const Report& report) -> Converted {
    const bool plain = old.kind == Value::Kind::scalar && !old.quoted;
    if (const auto flag = plain ? parse_bool(old.text).value : std::nullopt) {
      const std::string& text = *flag ? yes : no;
      return text.empty() ? std::nullopt : Converted(plain_at(old, text));
    }
    const bool is_block = old.kind == Value::Kind::map || old.kind == Value::Kind::list;
    report(old.mark, expected("true or false", old) + (is_block ? otherwise : ""));
    return std::nullopt;
  };
}

Converted summary(const Value& old, const Report& report) {
  if (old.kind == Value::Kind::null) return plain_at(old, "false");
  if (old.text == "top" || old.text == "full") return plain_at(old, "true");
  report(old.mark, expected_word({"top", "full", "null"}, old));
  return std::nullopt;
}

/// null stood for the default.
Converted unless_null(const Value& old, const Report& /*report*/) {
  return old.kind == Value::Kind::null ? std::nullopt : Converted(old);
}

Converted early_stopping(const Value& old, const Report& report) {
  if (old.kind == Value::Kind::null) return std::nullopt;
  return from_bool("early_stopping", "", ": its settings belong under callbacks, after type: early_stopping")(
      old, report);
}

Converted loggers(const Value& old, const Report& report) {
  if (old.kind == Value::Kind::null) return std::nullopt;
  auto none = from_bool("", "none", ": loggers are entries of loggers, such as {type: csv}")(old, report);
  if (!none) return std::nullopt;
  Value list = Value::list({});
  list.mark = old.mark;
  return list;
}

constexpr const char* kEverything = "there 1 was everything: it becomes 1.0";

std::vector<OldName> renamed() {
  const auto to_bool = from_bool("true", "false");
  const auto checkpoints =
      from_bool("true", "false", ": its settings belong under callbacks, after type: model_checkpoint");
  return {
      {"max_nb_epochs", "trainer.max_epochs", "", unless_null},
      {"min_nb_epochs", "trainer.min_epochs", "", unless_null},
      {"train_percent_check", "trainer.limit_train_batches", kEverything, fraction},
      {"val_percent_check", "trainer.limit_val_batches", kEverything, fraction},
      {"test_percent_check", "trainer.limit_test_batches", kEverything, fraction},
      {"overfit_pct", "trainer.overfit_batches", kEverything, fraction},
      {"row_log_interval", "trainer.log_every_n_steps", "it counts optimizer steps, no longer batches",
       unless_null},
      {"add_row_log_interval", "trainer.log_every_n_steps", "it counts optimizer steps, no longer batches",
       unless_null},
      {"nb_sanity_val_steps", "trainer.num_sanity_val_steps", "", unless_null},
      {"gradient_clip", "trainer.gradient_clip_val", "", unless_null},
      {"default_save_path", "run.dir", "", unless_null},
      {"default_root_dir", "run.dir", "", unless_null},
      {"weights_save_path", "run.checkpoint_dir", "", unless_null},
      {"reload_dataloaders_every_epoch", "trainer.reload_dataloaders_every_n_epochs",
       "true becomes 1, false 0", from_bool("1", "0"), true},
      {"weights_summary", "trainer.enable_model_summary", "top and full become true, null false", summary},
      {"show_progress_bar", "trainer.enable_progress_bar", "", to_bool, true},
      {"checkpoint_callback", "trainer.enable_checkpointing", "", checkpoints, true},
      {"early_stop_callback", "callbacks", "true adds an early_stopping; false and null add nothing",
       early_stopping, true, true},
      {"logger", "loggers", "false becomes [], true leaves the default", loggers, true},
  };
}

OldName refused(const std::string& name, const std::string& note) {
  return {name, "", note};
}

std::vector<OldName> refused() {
  const std::string devices = "use trainer.devices: auto, cuda:0, [0] or cpu";
  const std::string precision = "use trainer.precision: 32, 64, bf16 or 16";
  const std::string one_process = "training in several processes is not there yet";
  return {
      refused("gpus", devices),
      refused("auto_select_gpus", devices),
      refused("tpu_cores", devices + "; there are no TPUs"),
      refused("num_tpu_cores", devices + "; there are no TPUs"),
      refused("use_amp", precision),
      refused("amp_level", precision),
      refused("amp_backend", precision),
      refused("resume_from_checkpoint", "give --resume last, best, auto or a checkpoint's path"),
      refused("nb_gpu_nodes", one_process),
      refused("num_nodes", one_process),
      refused("num_processes", one_process),
      refused("distributed_backend", one_process),
      refused("strategy", one_process),
      refused("sync_batchnorm", one_process),
      refused("replace_sampler_ddp", one_process),
      refused("use_distributed_sampler", one_process),
      refused("auto_lr_find", "not offered: give optimizer.lr"),
      refused("auto_scale_batch_size", "not offered: give data.batch_size"),
      refused("benchmark", "not offered"),
      refused("process_position", "not offered: there is one progress bar"),
      refused("progress_bar_callback", "use trainer.enable_progress_bar"),
      refused("log_gpu_memory", "not offered"),
      refused("detect_anomaly",
              "not offered: trainer.terminate_on_nan names the first tensor that is not "
              "finite"),
      refused("barebones", "not offered: turn off what is not wanted, as in loggers: []"),
  };
}

}  // namespace

const std::vector<OldName>& old_names() {
  static const std::vector<OldName> names = [] {
    auto all = renamed();
    for (OldName& name : refused()) all.push_back(std::move(name));
    return all;
  }();
  return names;
}

const std::vector<OldSetting>& old_settings() {
  static const std::vector<OldSetting> settings = {
      {"model_checkpoint", "period", "every_n_epochs"},
      {"model_checkpoint", "every_n_val_epochs", "every_n_epochs"}};
  return settings;
}

}  // namespace lightrun::config
