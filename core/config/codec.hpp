#pragma once

#include "config/limit.hpp"
#include "config/scalar.hpp"
#include "config/value.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How one setting is read from a Value, checked, and written back.
namespace lightrun::config {

/// Says that something is wrong at a place.
using Report = std::function<void(const Mark& mark, std::string text)>;

/// `read` answers nothing where it has reported something. `write` makes what `read` takes.
template <typename T>
struct Codec {
  std::string type;   ///< in words: "a whole number"
  std::string range;  ///< ">= 0"; "" without one
  std::function<std::optional<T>(const Value&, const Report&)> read;
  std::function<Value(const T&)> write;
  bool takes_true = false;    ///< its flag may stand alone, for `true`
  std::string schema = "{}";  ///< the values in JSON Schema, as far as that can say them
};

/// Numbers between two ends.
struct Range {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool above_lowest = false;  ///< the end itself is outside
  bool below_highest = false;

  [[nodiscard]] bool contains(double value) const;
  /// ">= 0 and < 1", or "".
  [[nodiscard]] std::string text() const;
  /// As JSON Schema says it: `,"minimum":0,"exclusiveMaximum":1`, or "".
  [[nodiscard]] std::string schema() const;
};

[[nodiscard]] inline Range any() {
  return {};
}
[[nodiscard]] inline Range at_least(double lowest) {
  return {.lowest = lowest};
}
[[nodiscard]] inline Range above(double lowest) {
  return {.lowest = lowest, .above_lowest = true};
}
[[nodiscard]] inline Range from_below(double lowest, double highest) {
  return {.lowest = lowest, .highest = highest, .below_highest = true};
}

[[nodiscard]] Codec<bool> boolean();
[[nodiscard]] Codec<int64_t> whole(Range range);
/// Finite numbers.
[[nodiscard]] Codec<double> number(Range range);
[[nodiscard]] Codec<Limit> limit();
/// A limit that is not 0.
[[nodiscard]] Codec<Limit> interval();
/// The p of a vector norm, or `inf`; null, 0 and negative numbers are nothing.
[[nodiscard]] Codec<std::optional<double>> norm_order();
/// A scalar's text as it stands, also of `010` or `true`; not empty.
[[nodiscard]] Codec<std::string> text();
/// The same, or the empty text.
[[nodiscard]] Codec<std::string> any_text();
/// A text that names one file or folder, without / and control characters; null is "", no name.
[[nodiscard]] Codec<std::string> file_name();
/// A text; null is "".
[[nodiscard]] Codec<std::string> optional_text();
/// A list of `item`s, `length` of them if it is given.
template <typename T>
[[nodiscard]] Codec<std::vector<T>> list(Codec<T> item, std::optional<std::size_t> length = std::nullopt);
/// One of some words.
template <typename E>
[[nodiscard]] Codec<E> choice(std::vector<std::pair<std::string, E>> words);
/// null for nothing.
template <typename T>
[[nodiscard]] Codec<std::optional<T>> or_null(Codec<T> codec);
/// null for `meaning`; written as `meaning`.
template <typename T>
[[nodiscard]] Codec<T> null_is(T meaning, Codec<T> codec);

/// One of ASCII, or U+0080 to U+009F.
[[nodiscard]] bool has_control_character(std::string_view utf8);
/// "expected a whole number, got 'five'".
[[nodiscard]] std::string expected(const std::string& what, const Value& got);
/// "expected norm or value, got 'nrom' (did you mean norm?)".
[[nodiscard]] std::string expected_word(const std::vector<std::string>& words, const Value& got);

[[nodiscard]] std::string or_null_schema(const std::string& schema);

// ---- templates

template <typename T>
Codec<std::vector<T>> list(Codec<T> item, std::optional<std::size_t> length) {
  std::string type =
      length ? "a list of " + std::to_string(*length) + ", each " : std::string("a list, each ");
  type += item.type;
  const auto read = [item, length, type](const Value& value,
                                         const Report& report) -> std::optional<std::vector<T>> {
    if (value.kind != Value::Kind::list || (length && value.items.size() != *length)) {
      std::string text = expected(type, value);
      if (value.kind == Value::Kind::list) text += " of " + std::to_string(value.items.size());
      report(value.mark, std::move(text));
      return std::nullopt;
    }
    std::vector<T> result;
    result.reserve(value.items.size());
    for (const Value& entry : value.items) {
      if (auto one = item.read(entry, report)) result.push_back(std::move(*one));
    }
    if (result.size() != value.items.size()) return std::nullopt;
    return result;
  };
  const auto write = [item](const std::vector<T>& values) {
    std::vector<Value> items;
    items.reserve(values.size());
    for (const T& one : values) items.push_back(item.write(one));
    return Value::list(std::move(items));
  };
  Codec<std::vector<T>> codec{type, item.range, read, write};
  codec.schema = R"({"type":"array","items":)" + item.schema;
  if (length) {
    const std::string count = std::to_string(*length);
    codec.schema += R"(,"minItems":)" + count + R"(,"maxItems":)" + count;
  }
  codec.schema += "}";
  return codec;
}

template <typename E>
Codec<E> choice(std::vector<std::pair<std::string, E>> words) {
  std::vector<std::string> names;
  names.reserve(words.size());
  for (const auto& word : words) names.push_back(word.first);
  const auto read = [words, names](const Value& value, const Report& report) -> std::optional<E> {
    for (const auto& [name, meaning] : words) {
      if (value.kind == Value::Kind::scalar && value.text == name) return meaning;
    }
    report(value.mark, expected_word(names, value));
    return std::nullopt;
  };
  const auto write = [words](const E& value) {
    for (const auto& [name, meaning] : words) {
      if (meaning == value) return parse_int(name).value ? Value::plain(name) : Value::string(name);
    }
    return Value::null();
  };
  Codec<E> codec{"", "", read, write};
  codec.schema.clear();
  for (const std::string& name : names) {
    codec.type += (codec.type.empty() ? "" : " | ") + name;
    codec.schema += codec.schema.empty() ? "" : ",";
    codec.schema += parse_int(name).value ? name : '"' + name + '"';
  }
  codec.schema = R"({"enum":[)" + codec.schema + "]}";
  return codec;
}

template <typename T>
Codec<std::optional<T>> or_null(Codec<T> codec) {
  const auto read = [codec](const Value& value, const Report& report) -> std::optional<std::optional<T>> {
    if (value.kind == Value::Kind::null) return std::optional<T>();
    auto inner = codec.read(value, report);
    if (!inner) return std::nullopt;
    return inner;
  };
  const auto write = [codec](const std::optional<T>& value) {
    return value ? codec.write(*value) : Value::null();
  };
  Codec<std::optional<T>> null_or{codec.type + " or null", codec.range, read, write};
  null_or.schema = or_null_schema(codec.schema);
  return null_or;
}

template <typename T>
Codec<T> null_is(T meaning, Codec<T> codec) {
  auto null_or = codec;
  null_or.type += " or null";
  null_or.schema = or_null_schema(codec.schema);
  null_or.read = [meaning, codec](const Value& value, const Report& report) -> std::optional<T> {
    if (value.kind == Value::Kind::null) return meaning;
    return codec.read(value, report);
  };
  return null_or;
}

}  // namespace lightrun::config
