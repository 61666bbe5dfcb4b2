#include "config/codec.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lightrun::config {

namespace {

/// A text may look like something else: `name: 5`.
constexpr const char* kScalarSchema = R"({"type":["string","number","boolean"]})";

/// Reads a scalar with `parse`; a quoted one is text, whatever it looks like.
template <typename T>
std::optional<T> read_scalar(const Value& value, const Report& report, const std::string& type,
                             Parsed<T> (*parse)(std::string_view)) {
  if (value.kind != Value::Kind::scalar) {
    report(value.mark, expected(type, value));
    return std::nullopt;
  }
  Parsed<T> parsed = parse(value.text);
  if (value.quoted) {
    report(value.mark, expected(type, value) + (parsed.value ? ": take off the quotes" : ""));
    return std::nullopt;
  }
  if (!parsed.value) {
    report(value.mark,
           expected(type, value) + (parsed.error.empty() ? "" : fmt::format(": {}", parsed.error)));
  }
  return parsed.value;
}

template <typename T>
std::optional<T> within(const std::optional<T>& number, const Range& range, const Value& value,
                        const Report& report) {
  if (!number) return std::nullopt;
  const auto as_double = static_cast<double>(*number);
  if (!std::isfinite(as_double)) {
    report(value.mark, fmt::format("must be finite, got {}", value.text));
    return std::nullopt;
  }
  if (range.contains(as_double)) return number;
  report(value.mark, fmt::format("must be {}, got {}", range.text(), value.text));
  return std::nullopt;
}

/// A trailing ".0" would look like a count that is none.
std::string print_bound(double bound) {
  const std::string text = print_double(bound);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::optional<std::string> read_text(const Value& value, const Report& report, const std::string& type) {
  if (value.kind == Value::Kind::scalar) return value.text;
  report(value.mark, expected(type, value));
  return std::nullopt;
}

/// "" of a name that a file can have.
std::string wrong_in_file_name(std::string_view name) {
  if (name == "." || name == ".." || name.find('/') != std::string_view::npos) {
    return "must be a plain file name without /";
  }
  return has_control_character(name) ? "must be on one line, without control characters" : "";
}

}  // namespace

bool has_control_character(std::string_view utf8) {
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    const auto next = i + 1 < utf8.size() ? static_cast<unsigned char>(utf8[i + 1]) : 0U;
    if (byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next < 0xA0)) return true;
  }
  return false;
}

std::string expected(const std::string& what, const Value& got) {
  return fmt::format("expected {}, got {}", what, got.shown());
}

std::string expected_word(const std::vector<std::string>& words, const Value& got) {
  std::string text = expected(support::either(words), got);
  if (got.kind != Value::Kind::scalar) return text;
  const auto meant = support::did_you_mean(got.text, words);
  return meant ? fmt::format("{} (did you mean {}?)", text, *meant) : text;
}

bool Range::contains(double value) const {
  const bool low = above_lowest ? value > lowest : value >= lowest;
  const bool high = below_highest ? value < highest : value <= highest;
  return low && high;
}

std::string Range::schema() const {
  std::string text;
  if (std::isfinite(lowest))
    text += fmt::format(R"(,"{}":{})", above_lowest ? "exclusiveMinimum" : "minimum", print_bound(lowest));
  if (std::isfinite(highest))
    text += fmt::format(R"(,"{}":{})", below_highest ? "exclusiveMaximum" : "maximum", print_bound(highest));
  return text;
}

std::string or_null_schema(const std::string& schema) {
  return R"({"anyOf":[)" + schema + R"(,{"type":"null"}]})";
}

std::string Range::text() const {
  std::string text;
  if (std::isfinite(lowest)) text = fmt::format("{} {}", above_lowest ? ">" : ">=", print_bound(lowest));
  if (std::isfinite(highest)) {
    if (!text.empty()) text += " and ";
    text += fmt::format("{} {}", below_highest ? "<" : "<=", print_bound(highest));
  }
  return text;
}

Codec<bool> boolean() {
  const std::string type = "true or false";
  return {type,
          "",
          [type](const Value& value, const Report& report) {
            return read_scalar(value, report, type, parse_bool);
          },
          [](const bool& value) { return Value::plain(value ? "true" : "false"); },
          true,
          R"({"type":"boolean"})"};
}

Codec<int64_t> whole(Range range) {
  const std::string type = "a whole number";
  return {type,
          range.text(),
          [type, range](const Value& value, const Report& report) {
            return within(read_scalar(value, report, type, parse_int), range, value, report);
          },
          [](const int64_t& value) { return Value::plain(std::to_string(value)); },
          false,
          R"({"type":"integer")" + range.schema() + "}"};
}

Codec<double> number(Range range) {
  const std::string type = "a number";
  return {type,
          range.text(),
          [type, range](const Value& value, const Report& report) {
            return within(read_scalar(value, report, type, parse_double), range, value, report);
          },
          [](const double& value) { return Value::plain(print_double(value)); },
          false,
          R"({"type":"number")" + range.schema() + "}"};
}

Codec<Limit> limit() {
  const std::string type = "a count (10) or a fraction (0.1, 1.0)";
  return {type,
          ">= 0, a fraction <= 1.0",
          [type](const Value& value, const Report& report) {
            return read_scalar(value, report, type, parse_limit);
          },
          [](const Limit& value) { return Value::plain(value.text()); },
          false,
          R"({"type":"number","minimum":0})"};
}

Codec<Limit> interval() {
  auto codec = limit();
  codec.range = "> 0, a fraction <= 1.0";
  codec.schema = R"({"type":"number","exclusiveMinimum":0})";
  codec.read = [read = codec.read](const Value& value, const Report& report) {
    auto interval = read(value, report);
    const bool none =
        interval && (interval->kind == Limit::Kind::count ? interval->count : interval->digits) == 0;
    if (!none) return interval;
    report(value.mark, fmt::format("must be > 0, got {}", value.text));
    return std::optional<Limit>();
  };
  return codec;
}

Codec<std::optional<double>> norm_order() {
  static constexpr auto kInfinity = std::numeric_limits<double>::infinity();
  const auto order = number(any());
  const std::string type = "a number, inf or null";
  return {type,
          "0 and below: off",
          [order, type](const Value& value, const Report& report) -> std::optional<std::optional<double>> {
            using Order = std::optional<double>;
            if (value.kind == Value::Kind::null) return Order();
            const bool plain = value.kind == Value::Kind::scalar;
            if (plain && (value.text == "inf" || value.text == ".inf")) return Order(kInfinity);
            if (!plain || !looks_like_a_number(value.text)) {
              report(value.mark, expected(type, value));
              return std::nullopt;
            }
            const auto p = order.read(value, report);
            if (!p) return std::nullopt;
            return *p > 0 ? Order(*p) : Order();
          },
          [order](const std::optional<double>& p) {
            if (!p) return Value::null();
            return std::isinf(*p) ? Value::plain("inf") : order.write(*p);
          },
          false,
          R"({"type":["number","string","null"]})"};
}

Codec<std::string> any_text() {
  const std::string type = "a text";
  return {type,
          "",
          [type](const Value& value, const Report& report) { return read_text(value, report, type); },
          [](const std::string& value) { return Value::string(value); },
          false,
          kScalarSchema};
}

Codec<std::string> text() {
  auto codec = any_text();
  codec.read = [type = codec.type](const Value& value, const Report& report) {
    auto read = read_text(value, report, type);
    if (!read || !read->empty()) return read;
    report(value.mark, "must not be empty");
    return std::optional<std::string>();
  };
  return codec;
}

Codec<std::string> optional_text() {
  const std::string type = "a text or null";
  return {type,
          "",
          [type](const Value& value, const Report& report) {
            return value.kind == Value::Kind::null ? std::optional<std::string>("")
                                                   : read_text(value, report, type);
          },
          [](const std::string& value) { return value.empty() ? Value::null() : Value::string(value); },
          false,
          or_null_schema(kScalarSchema)};
}

Codec<std::string> file_name() {
  auto codec = optional_text();
  codec.type = "a file name or null";
  codec.range = "not empty, without / and control characters";
  codec.read = [type = codec.type](const Value& value, const Report& report) -> std::optional<std::string> {
    if (value.kind == Value::Kind::null) return "";
    auto name = read_text(value, report, type);
    if (!name) return std::nullopt;
    const std::string wrong = wrong_in_file_name(*name);
    if (wrong.empty() && !name->empty()) return name;
    report(value.mark, name->empty() ? "must not be empty" : fmt::format("{}, got {}", wrong, value.shown()));
    return std::nullopt;
  };
  return codec;
}

}  // namespace lightrun::config
