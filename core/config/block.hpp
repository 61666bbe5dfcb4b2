#pragma once

#include "config/field.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Reading and writing whole sections and typed blocks. A struct S takes part by a function `Block
/// describe(S&)`.
namespace lightrun::config {

/// Reads a map of settings into what `block` is bound to. Unknown and missing keys are problems; every key
/// given is noted in the origins. null is an empty map.
void read_section(const Value& value, const Place& place, const Block& block, Findings& findings);

/// Reads `{type: adam, lr: 1e-3}`, or just `adam`, with the one of `types` that it names.
void read_typed(const Value& value, const Place& place, const std::vector<Block>& types, Findings& findings);

/// Reads each item of a list as `read_item` says; anything but a list is a problem.
void read_list(const Value& value, const Place& place, Findings& findings,
               const std::function<void(const Value&, const Place&)>& read_item);

/// The setting that names the type of a block: `type`, or `source`.
[[nodiscard]] const std::string& key_of(const std::vector<Block>& types);

/// The type that a block without its key has because of a setting that only that type has, or nullptr.
[[nodiscard]] const Block* implied_type(const Value& block, const std::vector<Block>& types);

/// "adam" of `{type: adam, lr: 1}` and of `adam`; "" where it does not say.
[[nodiscard]] std::string type_of(const Value& block, const std::vector<Block>& types);

/// Taken as it stands: whoever declares what may be in it checks it later.
[[nodiscard]] Field free_map(const std::string& name, Value& member, const std::string& help);

/// A map of all its settings, with its `type` if it has one.
[[nodiscard]] Value write_block(const Block& block);

/// "sgd | adam".
[[nodiscard]] std::string type_names(const std::vector<Block>& types);

// ---- templates

template <typename S>
[[nodiscard]] Field section(const std::string& name, S& member, const std::string& help) {
  return {.name = name,
          .kind = Field::Kind::section,
          .type = "a map",
          .help = help,
          .read = [&member](const Value& value, const Place& place,
                            Findings& findings) { read_section(value, place, describe(member), findings); },
          .write = [&member] { return write_block(describe(member)); },
          .blocks = {describe(member)}};
}

/// One block for each of `samples`, which it keeps alive; selecting it copies the sample into `keep`.
template <typename S, typename Keep>
[[nodiscard]] std::vector<Block> types_of(std::vector<S> samples, Keep keep) {
  std::vector<Block> types;
  for (S& each : samples) {
    const auto sample = std::make_shared<S>(std::move(each));
    types.push_back(describe(*sample));
    types.back().select = [sample, keep] { keep(*sample); };
  }
  return types;
}

template <typename... Types>
[[nodiscard]] Block describe(std::variant<Types...>& block) {
  return std::visit([](auto& type) { return describe(type); }, block);
}

template <typename... Types>
[[nodiscard]] std::vector<std::variant<Types...>> one_of_each(const std::variant<Types...>* /*which*/) {
  return {Types{}...};
}

/// A block that may be left out.
template <typename S>
[[nodiscard]] Field block(const std::string& name, std::optional<S>& member, const std::string& help) {
  const auto types = [&member] {
    return types_of(one_of_each(static_cast<const S*>(nullptr)), [&member](const S& read) { member = read; });
  };
  return {.name = name,
          .kind = Field::Kind::block,
          .type = type_names(types()),
          .help = help,
          .read =
              [&member, types](const Value& value, const Place& place, Findings& findings) {
                member.reset();
                if (value.kind != Value::Kind::null) read_typed(value, place, types(), findings);
              },
          .write =
              [&member] {
                auto copy = member;
                return copy ? write_block(describe(*copy)) : Value::null();
              },
          .blocks = types()};
}

/// A list of blocks.
template <typename S>
[[nodiscard]] Field blocks(const std::string& name, std::vector<S>& member, const std::string& help) {
  const auto types = [&member] {
    return types_of(one_of_each(static_cast<const S*>(nullptr)),
                    [&member](const S& read) { member.push_back(read); });
  };
  return {.name = name,
          .kind = Field::Kind::blocks,
          .type = "a list of " + type_names(types()),
          .help = help,
          .read =
              [&member, types](const Value& value, const Place& place, Findings& findings) {
                member.clear();
                read_list(value, place, findings, [&](const Value& item, const Place& item_place) {
                  const std::size_t before = member.size();
                  read_typed(item, item_place, types(), findings);
                  if (member.size() == before) member.emplace_back();  // later ones keep their numbers
                });
              },
          .write =
              [&member] {
                std::vector<Value> items;
                for (S copy : member) items.push_back(write_block(describe(copy)));
                return Value::list(std::move(items));
              },
          .blocks = types()};
}

}  // namespace lightrun::config
