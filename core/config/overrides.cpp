#include "config/overrides.hpp"

#include "config/flags.hpp"
#include "config/merge.hpp"
#include "config/yaml_reader.hpp"
#include "support/quantity.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace lightrun::config {

namespace {

using Path = std::span<const std::string>;

/// `value` below the names of `path`: {a: {b: value}}.
Value nested(Path path, Value value, const Mark& mark) {
  for (std::size_t i = path.size(); i-- > 0;) {
    Value map = Value::map();
    map.mark = mark;
    map.add(path[i], mark, std::move(value));
    value = std::move(map);
  }
  return value;
}

void append(Value& list, Value value) {
  if (value.kind != Value::Kind::list) {
    list.items.push_back(std::move(value));
    return;
  }
  for (Value& item : value.items) list.items.push_back(std::move(item));
}

/// A list's entry, or something inside it; `path` begins after the list's name.
void set_in_list(Value& list, Path path, Value value, const Flag& flag) {
  if (flag.append) return append(list, std::move(value));
  Value& entry = list.items.at(*list_index(path[0]));
  merge_block(entry, nested(path.subspan(1), std::move(value), {flag.typed, 0, 0}));
}

/// The list of blocks as given, or its default.
Value& list_of(Value& map, const Field& field, const Mark& mark) {
  const bool is_default = map.find(field.name) == nullptr;
  Value& list = entry_of(map, field.name, mark).value;
  if (is_default) list = field.write();
  return list;
}

void set(Value& map, Path path, const Block& schema, Value value, const Flag& flag);

/// The setting `field` itself or something inside; `path` begins with its name.
void set_field(Value& map, Path path, const Field& field, Value value, const Flag& flag) {
  const Mark mark{flag.typed, 0, 0};
  const Path inside = path.subspan(1);
  if (field.kind == Field::Kind::blocks && (flag.append || !inside.empty())) {
    Value& list = list_of(map, field, mark);
    if (list.kind == Value::Kind::list) set_in_list(list, inside, std::move(value), flag);
    return;
  }
  Value::Entry& entry = entry_of(map, field.name, mark);
  if (field.kind == Field::Kind::section && !inside.empty()) {
    if (entry.value.kind == Value::Kind::null) entry.value.kind = Value::Kind::map;
    if (entry.value.kind == Value::Kind::map) {
      set(entry.value, inside, field.blocks.front(), std::move(value), flag);
    }
    return;
  }
  merge_entry(entry, {field.name, mark, nested(inside, std::move(value), mark)}, &field);
}

void set(Value& map, Path path, const Block& schema, Value value, const Flag& flag) {
  set_field(map, path, *schema.find(path[0]), std::move(value), flag);
}

bool may_append(const Flag& flag, const Block& schema, Findings& findings) {
  const Field* field = schema.find(flag.path[0]);
  if (flag.path.size() == 1 && field != nullptr && field->kind == Field::Kind::blocks) return true;
  findings.report({flag.typed, 0, 0}, "", "only to callbacks and loggers can be appended");
  return false;
}

/// Whether `--callbacks.7.monitor` has an entry 7 to change.
bool index_exists(Value& root, const Flag& flag, const Block& schema, Findings& findings) {
  const Field* field = schema.find(flag.path[0]);
  if (field == nullptr || field->kind != Field::Kind::blocks || flag.path.size() < 2) return true;
  const auto index = list_index(flag.path[1]);
  const Value* given = root.find(field->name);
  const Value list = given != nullptr ? *given : field->write();
  if (!index || list.kind != Value::Kind::list || *index < list.items.size()) return true;
  const auto length = support::counted(static_cast<int64_t>(list.items.size()), "entry", "entries");
  findings.report({flag.typed, 0, 0}, "",
                  fmt::format("{} has {}, so there is no index {} (from 0)", field->name, length, *index));
  return false;
}

/// Whether the flag can be applied to the tree.
bool is_applicable(Flag& flag, Value& root, const Block& schema, const std::vector<std::string>& other_flags,
                   Findings& findings) {
  if (!index_exists(root, flag, schema, findings)) return false;
  if (!find_setting(flag, schema, other_flags, findings)) return false;
  if (flag.append && !may_append(flag, schema, findings)) return false;
  if (flag.value) return true;
  findings.report({flag.typed, 0, 0}, "", "needs a value");
  return false;
}

}  // namespace

void apply_flags(Value& root, const Block& schema, const std::vector<std::string>& tokens,
                 const std::vector<std::string>& other_flags, Findings& findings) {
  for (Flag& flag : split_flags(tokens, findings)) {
    if (!is_applicable(flag, root, schema, other_flags, findings)) continue;
    auto value = read_flag_value(*flag.value, flag.typed, findings.problems);
    if (value) set(root, flag.path, schema, std::move(*value), flag);
  }
}

}  // namespace lightrun::config
