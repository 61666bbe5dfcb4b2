#include "config/difference.hpp"

#include "config/block.hpp"
#include "config/yaml_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lightrun::config {

namespace {

/// What stands in one config and in the other; nullptr where it is not there.
struct Pair {
  const Value* one;
  const Value* other;

  [[nodiscard]] Pair at(std::string_view key) const { return {find(one, key), find(other, key)}; }
  [[nodiscard]] Pair at(std::size_t index) const { return {item(one, index), item(other, index)}; }
  [[nodiscard]] bool are(Value::Kind kind) const {
    return one != nullptr && other != nullptr && one->kind == kind && other->kind == kind;
  }

 private:
  static const Value* find(const Value* map, std::string_view key) {
    return map == nullptr ? nullptr : map->find(key);
  }
  static const Value* item(const Value* list, std::size_t index) {
    return list != nullptr && index < list->items.size() ? &list->items[index] : nullptr;
  }
};

/// Adds up what differs.
class Comparison {
 public:
  void section(const std::string& path, const Pair& maps, const Block& schema) {
    for (const Field& field : schema.fields)
      this->field(dotted(path, field.name), maps.at(field.name), field);
  }
  [[nodiscard]] std::vector<Difference> take() { return std::move(found_); }

 private:
  void field(const std::string& path, const Pair& values, const Field& field) {
    switch (field.kind) {
      case Field::Kind::leaf:
        return leaf(path, values);
      case Field::Kind::section:
        return section(path, values, field.blocks.front());
      case Field::Kind::block:
        return block(path, values, field.blocks);
      case Field::Kind::blocks:
        return blocks(path, values, field.blocks);
      case Field::Kind::free_map:
        return keys(path, values);
    }
  }

  void leaf(const std::string& path, const Pair& values) {
    add(path, shown(values.one), shown(values.other));
  }

  void block(const std::string& path, const Pair& values, const std::vector<Block>& types) {
    const std::string one = shown_type(values.one, types);
    const std::string other = shown_type(values.other, types);
    add(path, one, other);
    if (one != other || !values.are(Value::Kind::map)) return;
    for (const Value::Entry& entry : values.one->entries) leaf(dotted(path, entry.key), values.at(entry.key));
  }

  void blocks(const std::string& path, const Pair& lists, const std::vector<Block>& types) {
    const std::size_t most = std::max(lists.one->items.size(), lists.other->items.size());
    for (std::size_t i = 0; i < most; ++i) block(dotted(path, std::to_string(i)), lists.at(i), types);
  }

  /// Of a free map, which has keys of its own at every depth.
  void keys(const std::string& path, const Pair& values) {
    if (!values.are(Value::Kind::map)) return leaf(path, values);
    for (const Value::Entry& entry : values.one->entries) keys(dotted(path, entry.key), values.at(entry.key));
    for (const Value::Entry& entry : values.other->entries) {
      if (values.one->find(entry.key) == nullptr) keys(dotted(path, entry.key), values.at(entry.key));
    }
  }

  void add(const std::string& path, std::string one, std::string other) {
    if (one != other) found_.push_back({path, std::move(one), std::move(other)});
  }

  static std::string shown(const Value* value) { return value == nullptr ? "none" : print_flow(*value); }

  static std::string shown_type(const Value* block, const std::vector<Block>& types) {
    const std::string type = block == nullptr ? "" : type_of(*block, types);
    return type.empty() ? shown(block) : type;
  }

  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Value& one, const Value& other, const Block& schema) {
  Comparison comparison;
  comparison.section("", {&one, &other}, schema);
  return comparison.take();
}

}  // namespace lightrun::config
