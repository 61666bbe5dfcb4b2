#include "config/merge.hpp"

#include "config/block.hpp"

#include <utility>

namespace lightrun::config {

namespace {

/// `adam` is short for `{type: adam}`.
Value written_out(Value block, const std::string& key) {
  if (block.kind != Value::Kind::scalar) return block;
  Value map = Value::map();
  map.mark = block.mark;
  const Mark mark = block.mark;
  map.add(key, mark, std::move(block));
  return map;
}

void merge_free(Value& base, Value overlay) {
  for (Value::Entry& entry : overlay.entries) {
    Value::Entry& target = entry_of(base, entry.key, entry.mark);
    if (target.value.kind == Value::Kind::map && entry.value.kind == Value::Kind::map) {
      merge_free(target.value, std::move(entry.value));
    } else {
      target = std::move(entry);
    }
  }
}

}  // namespace

Value::Entry& entry_of(Value& map, const std::string& key, const Mark& mark) {
  if (Value::Entry* entry = map.find_entry(key)) return *entry;
  map.add(key, mark, Value::null());
  map.entries.back().value.mark = mark;
  return map.entries.back();
}

void merge_settings(Value& base, Value overlay, const Block& schema) {
  for (Value::Entry& entry : overlay.entries) {
    const Field* field = schema.find(entry.key);
    if (Value::Entry* given = base.find_entry(entry.key)) {
      merge_entry(*given, std::move(entry), field);
    } else {
      base.entries.push_back(std::move(entry));
    }
  }
}

std::optional<Replaced> merge_entry(Value::Entry& base, Value::Entry overlay, const Field* field) {
  using Kind = Field::Kind;
  const bool both_maps = base.value.kind == Value::Kind::map && overlay.value.kind == Value::Kind::map;
  if (field != nullptr && field->kind == Kind::block) {
    return merge_block(base.value, std::move(overlay.value), field->blocks);
  }
  if (field != nullptr && field->kind == Kind::section && both_maps) {
    merge_settings(base.value, std::move(overlay.value), field->blocks.front());
  } else if (field != nullptr && field->kind == Kind::free_map && both_maps) {
    merge_free(base.value, std::move(overlay.value));
  } else {
    base = std::move(overlay);
  }
  return std::nullopt;
}

std::optional<Replaced> merge_block(Value& base, Value overlay, const std::vector<Block>& types) {
  const std::string& key = key_of(types);
  base = written_out(std::move(base), key);
  overlay = written_out(std::move(overlay), key);
  if (base.kind != Value::Kind::map || overlay.kind != Value::Kind::map) {
    base = std::move(overlay);
    return std::nullopt;
  }
  std::optional<Replaced> replaced;
  const std::string old_type = type_of(base, types);
  const std::string new_type = type_of(overlay, types);
  if (!old_type.empty() && !new_type.empty() && old_type != new_type) {
    const Value::Entry* named = base.find_entry(key);
    replaced = Replaced{old_type, new_type, named != nullptr ? named->value.mark : base.mark, {}};
    const bool by_flag = overlay.entries.front().mark.is_flag();
    std::erase_if(base.entries, [&](const Value::Entry& entry) {
      const bool goes = !by_flag || !entry.mark.is_flag();
      if (goes && entry.key != key) replaced->lost.push_back(entry.key);
      return goes;
    });
  }
  merge_free(base, std::move(overlay));
  return replaced;
}

}  // namespace lightrun::config
