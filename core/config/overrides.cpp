#include "config/overrides.hpp"

#include "config/deprecated.hpp"
#include "config/merge.hpp"
#include "config/yaml_reader.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
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
std::optional<Replaced> set_in_list(Value& list, Path path, const Field& field, Value value,
                                    const Flag& flag) {
  if (flag.append) {
    append(list, std::move(value));
    return std::nullopt;
  }
  Value& entry = list.items.at(*list_index(path[0]));
  return merge_block(entry, nested(path.subspan(1), std::move(value), {flag.typed, 0, 0}), field.blocks);
}

/// The list of blocks as given, or its default.
Value& list_of(Value& map, const Field& field, const Mark& mark) {
  const bool is_default = map.find(field.name) == nullptr;
  Value& list = entry_of(map, field.name, mark).value;
  if (is_default) list = field.write();
  return list;
}

std::optional<Replaced> set(Value& map, Path path, const Block& schema, Value value, const Flag& flag);

/// The setting `field` itself or something inside; `path` begins with its name.
std::optional<Replaced> set_field(Value& map, Path path, const Field& field, Value value, const Flag& flag) {
  const Mark mark{flag.typed, 0, 0};
  const Path inside = path.subspan(1);
  if (field.kind == Field::Kind::blocks && (flag.append || !inside.empty())) {
    Value& list = list_of(map, field, mark);
    if (list.kind != Value::Kind::list) return std::nullopt;
    return set_in_list(list, inside, field, std::move(value), flag);
  }
  Value::Entry& entry = entry_of(map, field.name, mark);
  if (field.kind == Field::Kind::section && !inside.empty()) {
    if (entry.value.kind == Value::Kind::null) entry.value.kind = Value::Kind::map;
    if (entry.value.kind != Value::Kind::map) return std::nullopt;
    return set(entry.value, inside, field.blocks.front(), std::move(value), flag);
  }
  return merge_entry(entry, {field.name, mark, nested(inside, std::move(value), mark)}, &field);
}

std::optional<Replaced> set(Value& map, Path path, const Block& schema, Value value, const Flag& flag) {
  return set_field(map, path, *schema.find(path[0]), std::move(value), flag);
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

/// "--optimizer.type: sgd replaces adam of a.yaml:3: its lr and betas are dropped".
void warn_of_lost(const Flag& flag, const Replaced& replaced, Findings& findings) {
  if (replaced.lost.empty()) return;
  const Mark& mark = replaced.mark;
  const std::string place = mark.line == 0 ? mark.file : fmt::format("{}:{}", mark.file, mark.line);
  std::string lost = replaced.lost.back();
  if (const auto first = std::span(replaced.lost).first(replaced.lost.size() - 1); !first.empty()) {
    lost = fmt::format("{} and {}", support::join({first.begin(), first.end()}), lost);
  }
  findings.warnings.push_back(fmt::format("{}: {} replaces {} of {}: its {} {} dropped", flag.typed,
                                          replaced.new_type, replaced.old_type, place, lost,
                                          replaced.lost.size() == 1 ? "is" : "are"));
}

/// Whether the flag can be applied to the tree.
bool is_applicable(Flag& flag, Value& root, const Block& schema, const OwnFlags& own, Findings& findings) {
  if (!index_exists(root, flag, schema, findings)) return false;
  if (!find_setting(flag, schema, own, findings)) return false;
  if (flag.append && !may_append(flag, schema, findings)) return false;
  if (flag.value) return true;
  findings.report({flag.typed, 0, 0}, "", "needs a value");
  return false;
}

/// What the flag sets; nothing where something is wrong with it.
std::optional<Value> value_of(Flag& flag, Value& root, const Block& schema, const OwnFlags& own,
                              Findings& findings) {
  if (!is_applicable(flag, root, schema, own, findings)) return std::nullopt;
  return read_flag_value(*flag.value, flag.typed, findings.problems);
}

/// The same of a flag with an old name, which gets the path of the new one. There may be nothing to set.
std::optional<Value> value_of_old(Flag& flag, const OldName& old, Findings& findings) {
  const Mark mark{flag.typed, 0, 0};
  const auto report = [&](const Mark& /*mark*/, std::string text) {
    findings.report(mark, "", std::move(text));
  };
  if (old.is_refused() || !flag.value) {
    report(mark, old.is_refused() ? old.note : "needs a value");
    return std::nullopt;
  }
  findings.warnings.push_back(old.warning(kDashes));
  flag.path = flag_of(fmt::format("{}{}", kDashes, old.now)).path;
  flag.append = old.appends;
  auto value = read_flag_value(*flag.value, flag.typed, findings.problems);
  return value && old.convert ? old.convert(*value, report) : value;
}

/// A flag such as --callbacks.0.period gets the path of the new name.
void use_new_name(Flag& flag, Findings& findings) {
  const OldSetting* old = find_old_setting(flag.path);
  if (old == nullptr) return;
  findings.warnings.push_back(fmt::format("{}: {}", flag.typed, old->warning()));
  flag.old_name = old->name;
  flag.path.back() = old->now;
}

/// Of two flags for the same setting the last one wins, but not of an old name and the new one.
void check_old_and_new(const std::vector<Flag>& flags, Findings& findings) {
  for (const Flag& old : flags) {
    if (old.old_name.empty() || old.append) continue;
    const auto other = std::ranges::find_if(
        flags, [&](const Flag& flag) { return flag.path == old.path && flag.old_name != old.old_name; });
    if (other == flags.end()) continue;
    findings.report({old.typed, 0, 0}, "",
                    fmt::format("{} is now called {}{}, which is given, too: keep that one", old.typed,
                                kDashes, support::join(old.path, ".")));
  }
}

}  // namespace

void apply_flags(Value& root, const Block& schema, std::vector<Flag> flags, const OwnFlags& own,
                 Findings& findings) {
  for (Flag& flag : flags) {
    const OldName* old = find_old_name(flag.path);
    if (old != nullptr) flag.old_name = old->name;
    use_new_name(flag, findings);
    auto value =
        old != nullptr ? value_of_old(flag, *old, findings) : value_of(flag, root, schema, own, findings);
    if (!value) continue;
    const auto replaced = set(root, flag.path, schema, std::move(*value), flag);
    if (replaced) warn_of_lost(flag, *replaced, findings);
  }
  rename_old_settings(root, findings);  // those in a flag's YAML
  check_old_and_new(flags, findings);
}

}  // namespace lightrun::config
