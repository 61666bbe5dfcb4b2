#include "config/value.hpp"

#include "config/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrun::config {

namespace {

/// Whether `--max-epochs` says no less than the path `max_epochs`.
bool says_the_same(std::string_view flag, std::string_view path) {
  while (flag.starts_with('-')) flag.remove_prefix(1);
  return std::equal(flag.begin(), flag.end(), path.begin(), path.end(),
                    [](char a, char b) { return a == b || (a == '-' && b == '_'); });
}

/// What a terminal would obey is written out: "\x1b".
std::string printable(std::string_view text) {
  std::string printable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    printable += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return printable;
}

/// Long values and line breaks would spoil a one-line message.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string line(text.substr(0, text.find('\n')));
  if (line.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    line.resize(end);
  }
  const bool whole = line.size() == text.size();
  return printable(line) + (whole ? "" : "...");
}

}  // namespace

std::string Mark::text() const {
  return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column);
}

Value Value::null() {
  return {};
}

Value Value::plain(std::string text) {
  Value value;
  value.kind = Kind::scalar;
  value.text = std::move(text);
  return value;
}

Value Value::string(std::string text) {
  const bool quoted = !reads_as_text(text);
  Value value = plain(std::move(text));
  value.quoted = quoted;
  return value;
}

Value Value::list(std::vector<Value> items) {
  Value value;
  value.kind = Kind::list;
  value.items = std::move(items);
  return value;
}

Value Value::map() {
  Value value;
  value.kind = Kind::map;
  return value;
}

const Value* Value::find(std::string_view key) const {
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return at == entries.end() ? nullptr : &at->value;
}

Value::Entry* Value::find_entry(std::string_view key) {
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return at == entries.end() ? nullptr : &*at;
}

void Value::add(std::string key, Mark key_mark, Value value) {
  entries.push_back({std::move(key), std::move(key_mark), std::move(value)});
}

std::string Value::shown() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
    case Kind::scalar:
      break;
  }
  return quoted ? fmt::format("the text \"{}\"", shortened(text)) : fmt::format("'{}'", shortened(text));
}

std::string given_twice(const Mark& one, const Mark& other) {
  if (one.line == other.line) return "given twice";
  const auto [first, second] = std::minmax(one.line, other.line);
  return fmt::format("given twice, on lines {} and {}", first, second);
}

std::string where(const Origins& origins, std::string_view path) {
  const auto at = origins.find(path);
  return at == origins.end() || at->second.empty() ? "" : fmt::format("{}: ", at->second.text());
}

std::string dotted(std::string_view parent, std::string_view name) {
  return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

std::string Problem::message() const {
  if (mark.is_flag() && text.find(mark.file) != std::string::npos) return text;
  std::string head = mark.empty() ? "" : fmt::format("{}: ", mark.text());
  if (!path.empty() && !(mark.is_flag() && says_the_same(mark.file, path))) head += fmt::format("{}: ", path);
  return head + text;
}

}  // namespace lightrun::config
