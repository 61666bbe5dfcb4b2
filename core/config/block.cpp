#include "config/block.hpp"

#include "config/suggest.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrun::config {

namespace {

std::vector<std::string> type_words(const std::vector<Block>& types) {
  std::vector<std::string> words;
  words.reserve(types.size());
  for (const Block& block : types) words.push_back(block.type);
  return words;
}

std::vector<std::string> keys(const Block& block) {
  std::vector<std::string> keys;
  if (!block.type.empty()) keys.push_back(block.key);
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
    if (!block.type.empty() && entry.key == block.key) {
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
  const std::string& key = key_of(types);
  const auto at = std::find_if(types.begin(), types.end(), [&](const Block& block) {
    return type.kind == Value::Kind::scalar && block.type == type.text;
  });
  if (at != types.end()) return &*at;
  if (type.kind != Value::Kind::scalar) {
    findings.report(type.mark, dotted(place.path, key), expected(support::either(type_words(types)), type));
    return nullptr;
  }
  std::string text = fmt::format("unknown {} {}", key, type.shown());
  const auto meant = support::did_you_mean(type.text, type_words(types));
  if (meant) text += fmt::format(" (did you mean {}?)", *meant);
  text += fmt::format("; there {} {}", types.size() == 1 ? "is" : "are", support::join(type_words(types)));
  findings.report(type.mark, dotted(place.path, key), text);
  return nullptr;
}

}  // namespace

const Field* Block::find(std::string_view name) const {
  const auto at =
      std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return at == fields.end() ? nullptr : &*at;
}

const std::string& key_of(const std::vector<Block>& types) {
  return types.front().key;
}

const Block* implied_type(const Value& block, const std::vector<Block>& types) {
  const auto at = std::ranges::find_if(types, [&](const Block& type) {
    return !type.implied_by.empty() && block.find(type.implied_by) != nullptr;
  });
  return at == types.end() ? nullptr : &*at;
}

std::string type_of(const Value& block, const std::vector<Block>& types) {
  if (block.kind != Value::Kind::map) return block.kind == Value::Kind::scalar ? block.text : "";
  if (const Value* type = block.find(key_of(types))) return type->text;
  const Block* implied = implied_type(block, types);
  return implied == nullptr ? "" : implied->type;
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
                    expected(fmt::format("a map with a {} ({})", key_of(types), type_names(types)), value));
    return;
  }
  const Value* type = value.find(key_of(types));
  if (type == nullptr) {
    if (const Block* block = implied_type(value, types)) {
      read_entries(value, place, *block, findings);
      block->select();
      return;
    }
    findings.report(place.mark, dotted(place.path, key_of(types)),
                    fmt::format("missing: one of {}", support::join(type_words(types))));
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
    const bool is_one = value.kind == Value::Kind::scalar && !value.text.empty();
    findings.report(value.mark, place.path,
                    expected("a list ([] for none)", value) +
                        (is_one ? fmt::format("; one alone is [{}]", value.text) : ""));
    return;
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Value& item = value.items[i];
    const std::string path = dotted(place.path, std::to_string(i));
    note(findings, path, item.mark);
    read_item(item, {path, item.mark});
  }
}

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

Value write_block(const Block& block) {
  Value map = Value::map();
  if (!block.type.empty()) map.add(block.key, {}, Value::string(block.type));
  for (const Field& field : block.fields) map.add(field.name, {}, field.write());
  return map;
}

std::string type_names(const std::vector<Block>& types) {
  return support::join(type_words(types), " | ");
}

}  // namespace lightrun::config
