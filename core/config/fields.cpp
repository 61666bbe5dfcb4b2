#include "config/fields.hpp"

#include "config/block.hpp"
#include "config/yaml_writer.hpp"

namespace lightrun::config {

namespace {

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
    all.push_back({dotted(inside, key_of(field.blocks)), "", Field::Kind::leaf, type_names(field.blocks), "",
                   "", "Which one"});
    for (const Block& type : field.blocks) list_fields(type, inside, all);
  }
}

}  // namespace

Block describe(RunSection& run) {
  return {
      .type = "",
      .help = "Where the run is kept",
      .fields = {
          setting("dir", run.dir, text(),
                  "Folder of all runs; a run is kept in dir/name/0, the next of that name in dir/name/1"),
          setting("name", run.name, file_name(),
                  "Name of the run; null: that of the first config file, without its extension"),
          setting("folder", run.folder, optional_text(),
                  "Exactly this folder for the run, in place of dir/name/n"),
          setting("checkpoint_dir", run.checkpoint_dir, optional_text(),
                  "Folder of all runs' checkpoints, kept in checkpoint_dir/name/0 (of a run with a folder "
                  "that folder's last part for the 0); null: checkpoints/ in the run's own folder")}};
}

Block describe(ModelSpec& model) {
  return {.type = "",
          .help = "What to train",
          .fields = {required("plugin", model.plugin, text(),
                              "Name of a registered model, or path to a shared library"),
                     setting("name", model.name, optional_text(),
                             "Which model, where plugin is the path of a library that has several"),
                     free_map("params", model.params,
                              "Parameters of the model, which it declares itself; unknown ones are errors")}};
}

Block describe(RunSpec& spec) {
  return {
      .type = "",
      .help = "A run",
      .fields = {
          setting("seed", spec.seed, whole(at_least(0)),
                  "Start of all random numbers: the same seed gives the same run"),
          section("run", spec.run, "Where the run is kept"),
          section("trainer", spec.trainer, "The training loop"),
          section("model", spec.model, "What to train"),
          section("data", spec.data, "Where data comes from, and how it is loaded"),
          block("optimizer", spec.optimizer, "The optimizer; null: the model's own"),
          block("scheduler", spec.scheduler, "The learning rate's schedule; null: the model's own, or none"),
          blocks("callbacks", spec.callbacks,
                 "What else takes part in the run, in this order; model_checkpoint does without being asked"),
          blocks("loggers", spec.loggers, "Where metrics are written; [] for nowhere")}};
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
