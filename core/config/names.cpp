#include "config/names.hpp"

#include <fmt/format.h>

namespace lightrun::config {

namespace {

constexpr const char* kNamesType = "a map of names to names";

}  // namespace

Codec<Names> names(std::size_t least) {
  const Codec<std::string> word = text();
  const auto read = [least, word](const Value& value, const Report& report) -> std::optional<Names> {
    if (value.kind != Value::Kind::map || value.entries.size() < least) {
      report(value.mark, value.kind == Value::Kind::map ? "must have an entry" : expected(kNamesType, value));
      return std::nullopt;
    }
    Names result;
    for (const Value::Entry& entry : value.entries) {
      if (auto meaning = word.read(entry.value, report)) result.emplace(entry.key, std::move(*meaning));
    }
    if (result.size() != value.entries.size()) return std::nullopt;
    return result;
  };
  const auto write = [](const Names& all) {
    Value map = Value::map();
    for (const auto& [name, meaning] : all) map.add(name, {}, Value::string(meaning));
    return map;
  };
  Codec<Names> codec{kNamesType, "", read, write};
  codec.schema = R"({"type":"object","additionalProperties":)" + word.schema;
  if (least > 0) codec.schema += fmt::format(R"(,"minProperties":{})", least);
  codec.schema += "}";
  return codec;
}

Codec<std::string> one_character() {
  auto codec = any_text();
  codec.type = "one character";
  codec.read = [](const Value& value, const Report& report) -> std::optional<std::string> {
    const bool is_one = value.kind == Value::Kind::scalar && value.text.size() == 1;
    if (is_one && value.text != "\n" && value.text != "\r" && value.text != "\"" &&
        static_cast<unsigned char>(value.text[0]) < 0x80)
      return value.text;
    report(value.mark, expected("one character (ASCII, no quote, no line end)", value));
    return std::nullopt;
  };
  return codec;
}

}  // namespace lightrun::config
