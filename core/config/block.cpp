#include "config/block.hpp"

#include "config/suggest.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrun::config {

namespace {

constexpr std::string_view kTypeKey = "type";

std::vector<std::string> names(const std::vector<Block>& types) {
  std::vector<std::string> names;
  names.reserve(types.size());
  for (const Block& block : types) names.push_back(block.type);
  return names;
}

std::vector<std::string> keys(const Block& block) {
  std::vector<std::string> keys;
  if (!block.type.empty()) keys.emplace_back(kTypeKey);
  for (const Field& field : block.fields) keys.push_back(field.name);
  return keys;
}

void note(Findings& findings, const std::string& path, const Mark& mark) {
  if (!mark.empty()) findings.origins[path] = mark;
}

/// "Name of a model" as part of a sentence.
std::string missing_text(const Field& field) {
  std::string help = field.help;
  if (!help.empty() && help[0] >= 'A' && help[0] <= 'Z') help[0] = static_cast<char>(help[0] - 'A' + 'a');
  return fmt::format("missing: {}", help);
}

/// What was not given: required settings here, and those of sections that are not there at all.
void check_missing(const Value& value, const Place& place, const Block& block, Findings& findings) {
  for (const Field& field : block.fields) {
    if (value.find(field.name) != nullptr) continue;
    const Place missing{dotted(place.path, field.name), place.mark};
    if (field.required) findings.report(missing.mark, missing.path, missing_text(field));
    if (field.kind == Field::Kind::section)
      check_missing(Value::map(), missing, field.blocks.front(), findings);
  }
}

void read_entries(const Value& value, const Place& place, const Block& block, Findings& findings) {
  for (const Value::Entry& entry : value.entries) {
    const std::string path = dotted(place.path, entry.key);
    if (!block.type.empty() && entry.key == kTypeKey) {
      note(findings, path, entry.mark);
    } else if (const Field* field = block.find(entry.key)) {
      note(findings, path, entry.mark);
      field->read(entry.value, {path, entry.mark}, findings);
    } else {
      findings.report(entry.mark, path, unknown_key(entry.key, keys(block), place.path, block.type));
    }
  }
  check_missing(value, place, block, findings);
}

const Block* named_type(const Value& type, const Place& place, const std::vector<Block>& types,
                        Findings& findings) {
  const auto at = std::find_if(types.begin(), types.end(), [&](const Block& block) {
    return type.kind == Value::Kind::scalar && block.type == type.text;
  });
  if (at != types.end()) return &*at;
  if (type.kind != Value::Kind::scalar) {
    findings.report(type.mark, dotted(place.path, kTypeKey), expected(support::either(names(types)), type));
    return nullptr;
  }
  std::string text = fmt::format("unknown type {}", type.shown());
  const auto meant = support::did_you_mean(type.text, names(types));
  if (meant) text += fmt::format(" (did you mean {}?)", *meant);
  text += fmt::format("; there {} {}", types.size() == 1 ? "is" : "are", support::join(names(types)));
  findings.report(type.mark, dotted(place.path, kTypeKey), text);
  return nullptr;
}

}  // namespace

const Field* Block::find(std::string_view name) const {
  const auto at =
      std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return at == fields.end() ? nullptr : &*at;
}

void read_section(const Value& value, const Place& place, const Block& block, Findings& findings) {
  if (value.kind != Value::Kind::map && value.kind != Value::Kind::null) {
    findings.report(value.mark, place.path, expected("a map of settings", value));
    return;
  }
  read_entries(value, place, block, findings);
}

void read_typed(const Value& value, const Place& place, const std::vector<Block>& types, Findings& findings) {
  if (value.kind == Value::Kind::scalar) {
    if (const Block* block = named_type(value, place, types, findings)) {
      read_entries(Value::map(), place, *block, findings);
      block->select();
    }
    return;
  }
  if (value.kind != Value::Kind::map) {
    findings.report(value.mark, place.path,
                    expected(fmt::format("a map with a type ({})", type_names(types)), value));
    return;
  }
  const Value* type = value.find(kTypeKey);
  if (type == nullptr) {
    findings.report(place.mark, dotted(place.path, kTypeKey),
                    fmt::format("missing: one of {}", support::join(names(types))));
    return;
  }
  if (const Block* block = named_type(*type, place, types, findings)) {
    // What a flag's type misses is missing because of the flag.
    const Mark& asking = type->mark.is_flag() ? type->mark : place.mark;
    read_entries(value, {place.path, asking}, *block, findings);
    block->select();
  }
}

void read_list(const Value& value, const Place& place, Findings& findings,
               const std::function<void(const Value&, const Place&)>& read_item) {
  if (value.kind != Value::Kind::list) {
    findings.report(value.mark, place.path, expected("a list ([] for none)", value));
    return;
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Value& item = value.items[i];
    const std::string path = dotted(place.path, std::to_string(i));
    note(findings, path, item.mark);
    read_item(item, {path, item.mark});
  }
}

Value write_block(const Block& block) {
  Value map = Value::map();
  if (!block.type.empty()) map.add(std::string(kTypeKey), {}, Value::string(block.type));
  for (const Field& field : block.fields) map.add(field.name, {}, field.write());
  return map;
}

std::string type_names(const std::vector<Block>& types) {
  return support::join(names(types), " | ");
}

}  // namespace lightrun::config
