#include "config/yaml_writer.hpp"

#include "config/interpolate.hpp"
#include "config/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrun::config {

namespace {

/// Plain in a block and between brackets: no character that YAML could take for its own.
bool safe_unquoted(std::string_view text) {
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./+-:").find(c) != std::string_view::npos;
  };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_safe)) return false;
  if (text.front() == ':' || text.back() == ':') return false;
  const bool may_begin_with_sign = text.size() > 1 && text[1] != '-';
  return (text.front() != '-' || may_begin_with_sign) && text != "...";
}

/// U+0080..U+009F, line and paragraph separators and the byte order mark: printed as escapes.
std::size_t unprintable(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9)) return 3;
  if (byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF) return 3;
  return 0;
}

unsigned code_point(std::string_view bytes) {
  unsigned value = static_cast<unsigned char>(bytes[0]) & (bytes.size() == 2 ? 0x1FU : 0x0FU);
  for (const char c : bytes.substr(1)) value = (value << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return value;
}

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      quoted += fmt::format("\\{}", c);
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else if (const std::size_t bytes = unprintable(text); bytes > 0) {
      quoted += fmt::format("\\u{:04x}", code_point(text.substr(0, bytes)));
      length = bytes;
    } else {
      quoted += c;
    }
    text.remove_prefix(length);
  }
  return quoted + "\"";
}

std::string print_key(const std::string& key) {
  return safe_unquoted(key) && !reads_as_null(key) ? key : quote(key);
}

std::string print_scalar(const Value& value) {
  if (value.kind == Value::Kind::null) return "null";
  const std::string text = escape_interpolation(value.text);
  return value.quoted || !safe_unquoted(text) ? quote(text) : text;
}

bool is_scalar(const Value& value) {
  return value.kind == Value::Kind::null || value.kind == Value::Kind::scalar;
}

bool on_one_line(const Value& value) {
  if (value.kind == Value::Kind::map) return value.entries.empty();
  return std::all_of(value.items.begin(), value.items.end(), is_scalar);
}

void print_map(const Value& map, std::size_t indent, bool first_is_indented, std::string& out);

/// What follows "key:" or "-".
void print_nested(const Value& value, std::size_t indent, bool in_list, std::string& out) {
  if (on_one_line(value)) {
    out += fmt::format(" {}\n", print_flow(value));
    return;
  }
  if (value.kind == Value::Kind::map) {
    out += in_list ? " " : "\n";
    print_map(value, indent, in_list, out);
    return;
  }
  out += '\n';
  for (const Value& item : value.items) {
    out += fmt::format("{:{}}-", "", indent);
    print_nested(item, indent + 2, true, out);
  }
}

void print_map(const Value& map, std::size_t indent, bool first_is_indented, std::string& out) {
  for (const Value::Entry& entry : map.entries) {
    if (!first_is_indented) out.append(indent, ' ');
    first_is_indented = false;
    out += fmt::format("{}:", print_key(entry.key));
    print_nested(entry.value, indent + 2, false, out);
  }
}

}  // namespace

std::string print_flow(const Value& value) {
  if (is_scalar(value)) return print_scalar(value);
  std::string inside;
  for (const Value& item : value.items)
    inside += fmt::format("{}{}", inside.empty() ? "" : ", ", print_flow(item));
  for (const Value::Entry& entry : value.entries) {
    inside +=
        fmt::format("{}{}: {}", inside.empty() ? "" : ", ", print_key(entry.key), print_flow(entry.value));
  }
  return value.kind == Value::Kind::list ? fmt::format("[{}]", inside) : fmt::format("{{{}}}", inside);
}

std::string print_yaml(const Value& map) {
  if (on_one_line(map)) return print_flow(map) + "\n";
  std::string out;
  print_map(map, 0, false, out);
  return out;
}

}  // namespace lightrun::config
