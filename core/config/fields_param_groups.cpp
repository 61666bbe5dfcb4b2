#include "config/block.hpp"
#include "config/fields.hpp"
#include "config/pattern.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

// optimizer.groups: parameters with options of their own.
namespace lightrun::config {

namespace {

constexpr const char* kParams = "params";

/// A group, read into `group`; the values it has go to an optimizer that nobody uses, for their checks.
Block group_block(ParamGroupSpec& group, OptimizerKind& scratch) {
  Block block{.type = "",
              .help = "Parameters with options of their own",
              .fields = {required(kParams, group.params, pattern(),
                                  "Regular expression that is found in the names of its parameters")}};
  Block options = describe(scratch);
  for (Field& field : options.fields) block.fields.push_back(std::move(field));
  return block;
}

Value written(const ParamGroupSpec& group) {
  Value map = Value::map();
  map.add(kParams, {}, Value::string(group.params));
  for (const Value::Entry& entry : group.options.entries) map.add(entry.key, entry.mark, entry.value);
  return map;
}

/// Each group as JSON Schema.
std::string schema_of_groups(const Block& block) {
  std::string properties;
  for (const Field& field : block.fields)
    properties += fmt::format(R"({}"{}":{})", properties.empty() ? "" : ",", field.name, field.schema);
  return fmt::format(
      R"({{"type":"array","items":{{"type":"object","properties":{{{}}},"required":["{}"],"additionalProperties":false}}}})",
      properties, kParams);
}

/// Reports the keys that a group does not have, and takes them out.
void drop_unknown_keys(Value& group, const Place& place, const Block& block, const std::string& type,
                       Findings& findings) {
  std::vector<std::string> names;
  for (const Field& field : block.fields) names.push_back(field.name);
  std::erase_if(group.entries, [&](const Value::Entry& entry) {
    if (block.find(entry.key) != nullptr) return false;
    const auto meant = support::did_you_mean(entry.key, names);
    findings.report(entry.mark, dotted(place.path, entry.key),
                    meant ? fmt::format("unknown key (did you mean {}?)", *meant)
                          : fmt::format("unknown key (a group of {} has {})", type, support::join(names)));
    return true;
  });
}

void read_groups(OptimizerSpec& optimizer, const Value& value, const Place& place, Findings& findings) {
  optimizer.groups.clear();
  read_list(value, place, findings, [&](const Value& item, const Place& item_place) {
    if (item.kind != Value::Kind::map) {
      findings.report(item.mark, item_place.path, expected("a map with params and options", item));
      return;
    }
    ParamGroupSpec group;
    OptimizerKind scratch = optimizer.kind;
    const Block block = group_block(group, scratch);
    group.options = item;
    drop_unknown_keys(group.options, item_place, block, describe(scratch).type, findings);
    read_section(group.options, item_place, block, findings);
    std::erase_if(group.options.entries, [](const Value::Entry& entry) { return entry.key == kParams; });
    optimizer.groups.push_back(std::move(group));
  });
}

Field groups(OptimizerSpec& optimizer) {
  ParamGroupSpec sample;
  OptimizerKind scratch = optimizer.kind;
  return {
      .name = "groups",
      .type = "a list of maps",
      .help =
          "Parameters with options of their own, as [{params: 'bias|norm', weight_decay: 0}]: params is a "
          "regular expression that is found in their names, options are those of the optimizer, which "
          "hold where a group does not give them; the first group that fits has a parameter",
      .read = [&optimizer](const Value& value, const Place& place,
                           Findings& findings) { read_groups(optimizer, value, place, findings); },
      .write =
          [&optimizer] {
            std::vector<Value> items;
            for (const ParamGroupSpec& group : optimizer.groups) items.push_back(written(group));
            return Value::list(std::move(items));
          },
      .schema = schema_of_groups(group_block(sample, scratch))};
}

}  // namespace

OptimizerKind options_of(const OptimizerSpec& optimizer, const ParamGroupSpec& group) {
  OptimizerKind options = optimizer.kind;
  Findings of_no_interest;  // it was read before
  read_section(group.options, {}, describe(options), of_no_interest);
  return options;
}

Block describe(OptimizerSpec& optimizer) {
  Block block = describe(optimizer.kind);
  if (!std::holds_alternative<LbfgsSpec>(optimizer.kind)) block.fields.push_back(groups(optimizer));
  return block;
}

std::vector<OptimizerSpec> one_of_each(const OptimizerSpec* /*which*/) {
  std::vector<OptimizerSpec> optimizers;
  for (auto& kind : one_of_each(static_cast<const OptimizerKind*>(nullptr)))
    optimizers.push_back({.kind = std::move(kind)});
  return optimizers;
}

}  // namespace lightrun::config
