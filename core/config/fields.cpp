#include "config/fields.hpp"

#include "config/accumulation.hpp"
#include "config/block.hpp"
#include "config/decimal.hpp"
#include "config/devices.hpp"
#include "config/yaml_writer.hpp"

namespace lightrun::config {

namespace {

/// Taken as it stands: the model's declarations say later what may be in it.
Field free_map(const std::string& name, Value& member, const std::string& help) {
  return {.name = name,
          .kind = Field::Kind::free_map,
          .type = "a map",
          .help = help,
          .read =
              [&member](const Value& value, const Place& place, Findings& findings) {
                member = value;
                if (value.kind == Value::Kind::null) member = Value::map();
                if (member.kind != Value::Kind::map) {
                  findings.report(value.mark, place.path, expected("a map", value));
                }
                for (const Value::Entry& entry : member.entries) {
                  findings.origins[dotted(place.path, entry.key)] = entry.mark;
                }
              },
          .write = [&member] { return member.kind == Value::Kind::null ? Value::map() : member; }};
}

/// true is one batch.
Codec<int64_t> bool_or_count() {
  auto codec = whole(at_least(0));
  codec.type = "true, false or a number of batches";
  codec.read = [count = codec.read, type = codec.type](const Value& value, const Report& report) {
    const bool scalar = value.kind == Value::Kind::scalar && !value.quoted;
    if (const auto flag = scalar ? parse_bool(value.text).value : std::nullopt)
      return std::optional<int64_t>(*flag);
    if (scalar && parse_decimal(value.text)) return count(value, report);
    report(value.mark, expected(type, value));
    return std::optional<int64_t>();
  };
  return codec;
}

void list_fields(const Block& block, const std::string& parent, std::vector<FieldInfo>& all) {
  for (const Field& field : block.fields) {
    const std::string path = dotted(parent, field.name);
    if (field.kind == Field::Kind::section) {
      list_fields(field.blocks.front(), path, all);
      continue;
    }
    all.push_back({path, block.type, field.kind, field.type, field.required ? "" : print_flow(field.write()),
                   field.range, field.help});
    if (field.blocks.empty()) continue;
    const std::string inside = field.kind == Field::Kind::blocks ? path + ".N" : path;
    all.push_back({inside + ".type", "", Field::Kind::leaf, type_names(field.blocks), "", "", "Which one"});
    for (const Block& type : field.blocks) list_fields(type, inside, all);
  }
}

}  // namespace

Block describe(RunSection& run) {
  return {
      .type = "",
      .help = "Where the run is kept",
      .fields = {setting("dir", run.dir, text(), "Folder in which the run folders are made"),
                 setting("name", run.name, file_name(), "Name of the run; null: of the first config file")}};
}

Block describe(TrainerSpec& t) {
  using Divisor = AccumulationDivisor;
  using Clip = ClipAlgorithm;
  return {.type = "",
          .help = "The training loop",
          .fields = {
              setting("max_epochs", t.max_epochs, whole(at_least(0)), "Stop after this many epochs"),
              setting("max_steps", t.max_steps, or_null(whole(at_least(1))),
                      "Stop after this many optimizer steps"),
              setting("accumulate_grad_batches", t.accumulate_grad_batches, accumulation(),
                      "Batches an optimizer step; a map says from which epoch on"),
              setting("accumulation_divisor", t.accumulation_divisor,
                      choice<Divisor>({{"window", Divisor::window}, {"fixed", Divisor::fixed}}),
                      "A short last window is divided by its own size, or by accumulate_grad_batches"),
              setting("gradient_clip_val", t.gradient_clip_val, null_is(0.0, number(at_least(0))),
                      "Largest gradient; 0 or null: no clipping"),
              setting("gradient_clip_algorithm", t.gradient_clip_algorithm,
                      choice<Clip>({{"norm", Clip::norm}, {"value", Clip::value}}),
                      "Clip the norm of all gradients, or each value"),
              setting("truncated_bptt_steps", t.truncated_bptt_steps, or_null(whole(at_least(1))),
                      "Time steps a split of a sequence; null: whole sequences"),
              setting("terminate_on_nan", t.terminate_on_nan, boolean(),
                      "Stop before a step with a loss, gradient or parameter that is not finite"),
              setting("limit_train_batches", t.limit_train_batches, limit(),
                      "Training batches an epoch; 1.0: all"),
              setting("limit_val_batches", t.limit_val_batches, limit(),
                      "Validation batches; 1.0: all, 0: no validation"),
              setting("num_sanity_val_steps", t.num_sanity_val_steps, whole(at_least(-1)),
                      "Validation batches before training, as a check; -1: all"),
              setting("fast_dev_run", t.fast_dev_run, bool_or_count(),
                      "Run this many batches of everything (true: one) to see that it works"),
              setting("log_every_n_steps", t.log_every_n_steps, whole(at_least(1)),
                      "Batches between two rows of metrics"),
              setting("devices", t.devices, devices(), "Where to train"),
          }};
}

Block describe(ModelSpec& model) {
  return {
      .type = "",
      .help = "What to train",
      .fields = {
          required("plugin", model.plugin, text(), "Name of a registered model, or path to a shared library"),
          setting("name", model.name, optional_text(), "Which model of a library that has several"),
          free_map("params", model.params, "Parameters of the model, as it declares them")}};
}

Block describe(DataSpec& data) {
  return {
      .type = "",
      .help = "How data is loaded",
      .fields = {setting("batch_size", data.batch_size, whole(at_least(1)), "Samples a batch"),
                 setting("shuffle", data.shuffle, boolean(), "A new order of the training data each epoch"),
                 setting("drop_last", data.drop_last, boolean(), "Leave out a last, smaller batch")}};
}

Block describe(ModelCheckpointSpec& checkpoint) {
  return {.type = "model_checkpoint",
          .help = "Writes checkpoints/last.ckpt and checkpoints/best.ckpt",
          .fields = {setting("monitor", checkpoint.monitor, text(), "Metric that says which epoch is best"),
                     setting("mode", checkpoint.mode, choice<Mode>({{"min", Mode::min}, {"max", Mode::max}}),
                             "Whether less or more is better")}};
}

Block describe(CsvLoggerSpec& /*csv*/) {
  return {.type = "csv", .help = "Writes metrics.csv", .fields = {}};
}

Block describe(RunSpec& spec) {
  return {
      .type = "",
      .help = "A run",
      .fields = {
          setting("seed", spec.seed, whole(at_least(0)), "Where all random numbers start"),
          section("run", spec.run, "Where the run is kept"),
          section("trainer", spec.trainer, "The training loop"),
          section("model", spec.model, "What to train"), section("data", spec.data, "How data is loaded"),
          block("optimizer", spec.optimizer, "The optimizer; null: the model's own"),
          block("scheduler", spec.scheduler, "The learning rate's schedule; null: the model's own, or none"),
          blocks("callbacks", spec.callbacks, "What else takes part in the run, in this order"),
          blocks("loggers", spec.loggers, "Where metrics are written")}};
}

std::string FieldInfo::parent() const {
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string FieldInfo::name() const {
  return path.substr(path.rfind('.') + 1);
}

std::vector<FieldInfo> all_fields() {
  RunSpec spec;
  std::vector<FieldInfo> all;
  list_fields(describe(spec), "", all);
  return all;
}

}  // namespace lightrun::config
