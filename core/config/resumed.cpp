#include "config/resumed.hpp"

#include <lightrun/error.hpp>

#include "config/block.hpp"
#include "config/difference.hpp"
#include "config/fields.hpp"
#include "config/yaml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lightrun::config {

namespace {

/// Holds for the setting at `path` and all below it; of several, the first one does.
struct Rule {
  std::string_view path;
  From from;
};

constexpr Rule kRules[] = {
    {"seed", From::checkpoint},
    {"run", From::now_unlisted},
    {"trainer.max_epochs", From::now},
    {"trainer.min_epochs", From::now},
    {"trainer.max_steps", From::now},
    {"trainer.min_steps", From::now},
    {"trainer.max_time", From::now},
    {"trainer.accumulate_grad_batches", From::checkpoint},
    {"trainer.accumulation_divisor", From::checkpoint},
    {"trainer.gradient_clip_val", From::checkpoint},
    {"trainer.gradient_clip_algorithm", From::checkpoint},
    {"trainer.track_grad_norm", From::now},
    {"trainer.truncated_bptt_steps", From::checkpoint},
    {"trainer.terminate_on_nan", From::now},
    {"trainer.on_nonfinite", From::now},
    {"trainer.print_nan_grads", From::now},
    {"trainer.limit_train_batches", From::now},
    {"trainer.limit_val_batches", From::now},
    {"trainer.limit_test_batches", From::now},
    {"trainer.limit_predict_batches", From::now},
    {"trainer.overfit_batches", From::checkpoint},
    {"trainer.reload_dataloaders_every_n_epochs", From::checkpoint},
    {"trainer.val_check_interval", From::checkpoint},
    {"trainer.check_val_every_n_epoch", From::checkpoint},
    {"trainer.num_sanity_val_steps", From::now},
    {"trainer.fast_dev_run", From::now},
    {"trainer.log_every_n_steps", From::now_unlisted},
    {"trainer.log_save_interval", From::now_unlisted},
    {"trainer.progress_bar_refresh_rate", From::now_unlisted},
    {"trainer.enable_progress_bar", From::now_unlisted},
    {"trainer.enable_model_summary", From::now_unlisted},
    {"trainer.enable_checkpointing", From::now_unlisted},
    {"trainer.on_save_error", From::now},
    {"trainer.profiler", From::now},
    {"trainer.precision", From::checkpoint},
    {"trainer.deterministic", From::checkpoint},
    {"trainer.flat_parameters", From::now},
    {"trainer.accelerator", From::now},
    {"trainer.devices", From::now},
    {"model", From::now},
    {"data.workers", From::now_unlisted},  // before the section that they are in
    {"data.prefetch", From::now_unlisted},
    {"data", From::checkpoint},
    {"optimizer", From::checkpoint},
    {"scheduler", From::checkpoint},
    {"callbacks", From::now},
    {"loggers", From::now_unlisted},
};

/// Whether `path` is `whole` or below it.
bool is_part_of(std::string_view path, std::string_view whole) {
  return path.starts_with(whole) && (path.size() == whole.size() || path[whole.size()] == '.');
}

const Rule* rule_of(std::string_view path) {
  const auto* at =
      std::ranges::find_if(kRules, [&](const Rule& rule) { return is_part_of(path, rule.path); });
  return at == std::end(kRules) ? nullptr : at;
}

/// Takes out the keys that `schema` does not know, in the blocks whose type it knows.
void drop_unknown(Value& map, const Block& schema);

void drop_unknown_in_block(Value& block, const std::vector<Block>& types) {
  const auto known = std::ranges::find(types, type_of(block, types), &Block::type);
  if (known != types.end()) drop_unknown(block, *known);
}

void drop_unknown(Value& map, const Block& schema) {
  std::erase_if(map.entries, [&](const Value::Entry& entry) {
    return schema.find(entry.key) == nullptr && (schema.type.empty() || entry.key != schema.key);
  });
  for (Value::Entry& entry : map.entries) {
    const Field* field = schema.find(entry.key);
    if (field == nullptr) continue;  // the type
    if (field->kind == Field::Kind::section) drop_unknown(entry.value, field->blocks.front());
    if (field->kind == Field::Kind::block) drop_unknown_in_block(entry.value, field->blocks);
    if (field->kind != Field::Kind::blocks) continue;
    for (Value& item : entry.value.items) drop_unknown_in_block(item, field->blocks);
  }
}

/// The config in a checkpoint.
struct Saved {
  Value tree;                       ///< of this version, with all settings
  std::vector<Problem> unreadable;  ///< of settings that come from now
};

[[noreturn]] void cannot_be_read(const std::string& name, const Problem& problem) {
  const std::string path = problem.path.empty() ? "" : problem.path + ": ";
  throw RunError(fmt::format("{}: the config in it cannot be read: line {}: {}{}", name, problem.mark.line,
                             path, problem.text));
}

Saved read_saved(const std::string& yaml, const std::string& name) {
  Findings findings;
  auto tree = read_yaml(yaml, name, findings.problems);
  if (!findings.problems.empty()) cannot_be_read(name, findings.problems.front());
  if (tree->kind != Value::Kind::map) cannot_be_read(name, {tree->mark, "", expected("settings", *tree)});
  RunSpec spec;
  const Block schema = describe(spec);
  drop_unknown(*tree, schema);
  read_section(*tree, {"", {name, 1, 1}}, schema, findings);
  for (const Problem& problem : findings.problems) {
    const Rule* rule = rule_of(problem.path);
    if (rule == nullptr || rule->from == From::checkpoint) cannot_be_read(name, problem);
  }
  return {write_block(schema), std::move(findings.problems)};
}

/// The field at "data" or "trainer.precision", and its value in `tree`.
struct Setting {
  Field field;
  const Value* value;
};

Setting setting_at(std::string_view path, const Block& schema, const Value& tree) {
  const auto dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  const Field* field = schema.find(name);
  const Value* value = tree.find(name);
  if (dot == std::string_view::npos) return {*field, value};
  return setting_at(path.substr(dot + 1), field->blocks.front(), *value);
}

void read_setting(std::string_view path, const Block& schema, const Value& tree) {
  const Setting setting = setting_at(path, schema, tree);
  Findings of_no_interest;  // it was read before
  setting.field.read(*setting.value, {std::string(path), {}}, of_no_interest);
}

/// Whether it is an exception in a section that comes from the checkpoint.
bool is_kept_from_now(const Rule& rule) {
  if (rule.from == From::checkpoint) return false;
  return std::ranges::any_of(kRules, [&](const Rule& whole) {
    return whole.from == From::checkpoint && is_part_of(rule.path, whole.path);
  });
}

/// Puts into the spec of `schema` what comes from the checkpoint.
void take_from_checkpoint(const Block& schema, const Value& saved) {
  const Value now = write_block(schema);
  for (const Rule& rule : kRules)
    if (rule.from == From::checkpoint) read_setting(rule.path, schema, saved);
  for (const Rule& rule : kRules)
    if (is_kept_from_now(rule)) read_setting(rule.path, schema, now);
}

/// "" of one that nobody needs to be told.
std::string line_of(const Difference& difference, From from) {
  const auto& [path, now, saved] = difference;
  if (from == From::now_unlisted) return "";
  return from == From::checkpoint
             ? fmt::format("{}: {} as in the checkpoint (the config says {})", path, saved, now)
             : fmt::format("{}: {} (the checkpoint's run had {})", path, now, saved);
}

}  // namespace

std::optional<From> resumed_from(std::string_view path) {
  const Rule* rule = rule_of(path);
  return rule == nullptr ? std::nullopt : std::optional(rule->from);
}

std::vector<std::string> settings_from_checkpoint() {
  std::vector<std::string> paths;
  for (const Rule& rule : kRules) {
    if (rule.from == From::checkpoint) paths.emplace_back(rule.path);
  }
  return paths;
}

ResumedSpec resumed(const RunSpec& now, const std::string& saved_yaml, const std::string& saved_name) {
  const Saved saved = read_saved(saved_yaml, saved_name);
  ResumedSpec result{.spec = now, .differences = {}};
  const Block schema = describe(result.spec);
  const auto is_unreadable = [&](const Rule* rule) {
    return std::ranges::any_of(saved.unreadable,
                               [&](const Problem& problem) { return rule_of(problem.path) == rule; });
  };
  for (const Difference& difference : differences(write_block(schema), saved.tree, schema)) {
    const Rule* rule = rule_of(difference.path);
    if (rule == nullptr || is_unreadable(rule)) continue;  // there is a rule for each: a test sees to it
    if (std::string line = line_of(difference, rule->from); !line.empty())
      result.differences.push_back(std::move(line));
    if (rule->from != From::checkpoint) continue;
    std::erase_if(result.spec.origins,
                  [&](const auto& origin) { return is_part_of(origin.first, difference.path); });
  }
  for (const Problem& problem : saved.unreadable) {
    if (rule_of(problem.path)->from == From::now_unlisted) continue;
    result.differences.push_back(fmt::format("{}: as in the config (the checkpoint's cannot be read: {})",
                                             problem.path, problem.text));
  }
  take_from_checkpoint(schema, saved.tree);
  return result;
}

}  // namespace lightrun::config
