#pragma once

#include "config/codec.hpp"
#include "config/value.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::config {

/// What reading a config gathers.
struct Findings {
  std::vector<Problem> problems;
  Origins origins;
  std::vector<std::string> warnings;

  void report(Mark mark, std::string path, std::string text) {
    problems.push_back({std::move(mark), std::move(path), std::move(text)});
  }
};

/// Where a value is read from: its dotted path, and its key's place.
struct Place {
  std::string path;
  Mark mark;
};

struct Field;

/// Settings that stand together: a section, or one type of a block.
struct Block {
  std::string type;  ///< "adam"; "" of a section
  std::string help;
  std::vector<Field> fields;
  std::function<void()> select = {};  ///< of a block: keep what was read into `fields`
  std::string key = "type";           ///< the setting that names the type
  std::string implied_by =
      "";  ///< a setting that only this type has: where it is given, `key` may be left out

  [[nodiscard]] const Field* find(std::string_view name) const;
};

/// One setting, bound to the member that keeps it.
struct Field {
  enum class Kind {
    leaf,
    section,   ///< a map of settings
    block,     ///< a map with a `type:`, or null
    blocks,    ///< a list of them
    free_map,  ///< whatever keys somebody else will check
  };

  std::string name;
  Kind kind = Kind::leaf;
  std::string type;
  std::string range = {};
  std::string help;
  bool required = false;
  bool takes_true = false;  ///< `--name` alone means true
  std::function<void(const Value&, const Place&, Findings&)> read;
  std::function<Value()> write;
  std::string schema = "{}";       ///< of a leaf: its values in JSON Schema
  std::vector<Block> blocks = {};  ///< of a section the one; of a block one for each type
};

/// A setting that `codec` reads and writes.
template <typename T>
[[nodiscard]] Field setting(const std::string& name, T& member, Codec<T> codec, const std::string& help) {
  Field field{.name = name,
              .type = codec.type,
              .range = codec.range,
              .help = help,
              .takes_true = codec.takes_true,
              .read = {},
              .write = [&member, write = codec.write] { return write(member); }};
  field.schema = codec.schema;
  field.read = [&member, read = codec.read](const Value& value, const Place& place, Findings& findings) {
    const auto report = [&](const Mark& mark, std::string text) {
      findings.report(mark, place.path, std::move(text));
    };
    if (auto result = read(value, report)) member = std::move(*result);
  };
  return field;
}

/// The same, and it must be given.
template <typename T>
[[nodiscard]] Field required(const std::string& name, T& member, Codec<T> codec, const std::string& help) {
  Field field = setting(name, member, std::move(codec), help);
  field.required = true;
  return field;
}

}  // namespace lightrun::config
