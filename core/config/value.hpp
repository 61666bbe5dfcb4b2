#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lightrun::config {

/// A place in a config file, from 1; or a command line flag (`file` is the flag as typed, `line` is 0).
struct Mark {
  std::string file;
  int line = 0;
  int column = 0;

  /// "configs/digits.yaml:3:5", or the flag.
  [[nodiscard]] std::string text() const;

  /// Given on the command line: what is wrong there is a usage error, not a config error.
  [[nodiscard]] bool is_flag() const { return line == 0 && file.starts_with("--"); }
  /// No place at all: a default.
  [[nodiscard]] bool empty() const { return file.empty(); }
};

/// A piece of a config: what YAML says, with its place. Plain scalars keep their text ("0.29", "010", "1e3"),
/// since what they mean depends on the field they are read into; quoted ones are strings and nothing else.
class Value {
 public:
  struct Entry;
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  Mark mark;
  std::string text;            ///< of a scalar
  bool quoted = false;         ///< of a scalar
  std::vector<Value> items;    ///< of a list
  std::vector<Entry> entries;  ///< of a map, in the order of the file
  /// At a document's top level: there is an anchor inside that is used elsewhere (`base: &b {...}`).
  bool holds_anchor = false;

  [[nodiscard]] static Value null();
  [[nodiscard]] static Value plain(std::string text);   ///< a scalar without quotes
  [[nodiscard]] static Value string(std::string text);  ///< a scalar that reads back as this text
  [[nodiscard]] static Value list(std::vector<Value> items);
  [[nodiscard]] static Value map();

  /// The entry's value, or nullptr.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Entry* find_entry(std::string_view key);
  /// Adds an entry to a map.
  void add(std::string key, Mark key_mark, Value value);

  /// As a message shows it: "'five'", "the text \"3\"" (quoted), "null", "a list", "a map".
  [[nodiscard]] std::string shown() const;
};

struct Value::Entry {
  std::string key;
  Mark mark;  ///< of the key
  Value value;
};

/// "given twice, on lines 2 and 4", or just "given twice" where both are on one line.
[[nodiscard]] std::string given_twice(const Mark& one, const Mark& other);

/// Dotted path -> where the setting was given.
using Origins = std::map<std::string, Mark, std::less<>>;

/// "file:line:col: " of a setting that was given, "" of one that was not: the head of a message.
[[nodiscard]] std::string where(const Origins& origins, std::string_view path);

/// "trainer" and "max_epochs" give "trainer.max_epochs"; "" and "seed" give "seed".
[[nodiscard]] std::string dotted(std::string_view parent, std::string_view name);

/// One thing wrong with a config.
struct Problem {
  Mark mark;
  std::string path;  ///< "trainer.max_epoch"
  std::string text;  ///< "unknown key (did you mean max_epochs?)"

  /// "file:line:col: path: text"; of a flag without what would say its name twice.
  [[nodiscard]] std::string message() const;
};

}  // namespace lightrun::config
