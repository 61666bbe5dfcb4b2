#include "config/yaml_error.hpp"

#include <yaml-cpp/depthguard.h>

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace lightrun::config {

namespace {

using namespace std::string_view_literals;

/// A tab among the blanks that begin a line.
std::optional<std::size_t> tab_in_indentation(std::string_view line) {
  const auto tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
  return tab == std::string_view::npos ? std::nullopt : std::optional(tab);
}

std::string sentence(std::string_view yaml_cpp_text, std::string_view at) {
  namespace msg = YAML::ErrorMsg;
  const std::array sentences{
      std::pair{std::string_view(msg::MAP_VALUE),
                "unexpected ':' (wrong indentation, or text that needs quotes?)"sv},
      std::pair{std::string_view(msg::END_OF_MAP), "expected 'key: value' (wrong indentation?)"sv},
      std::pair{std::string_view(msg::END_OF_SEQ), "expected '- item' (wrong indentation?)"sv},
      std::pair{std::string_view(msg::BLOCK_ENTRY), "unexpected '- ': a list begins on a line of its own"sv},
      std::pair{std::string_view(msg::FLOW_END), "a closing bracket that was never opened"sv},
      std::pair{std::string_view(msg::UNKNOWN_ANCHOR), "no such anchor before this alias"sv},
      std::pair{std::string_view(msg::EOF_IN_SCALAR), "the file ends inside a quoted text"sv},
  };
  for (const auto& [text, said] : sentences) {
    if (yaml_cpp_text == text) return std::string(said);
  }
  if (yaml_cpp_text == msg::UNKNOWN_TOKEN && !at.empty()) {
    return fmt::format("'{}' cannot begin a value (text that needs quotes?)", at.front());
  }
  return fmt::format("not YAML: {}", yaml_cpp_text);
}

/// A list or map whose bracket is not closed, at the bracket; yaml-cpp reports the place where it gave up.
std::optional<Problem> unclosed_bracket(const YAML::Exception& error, const Mark& noticed,
                                        const YamlBuilder& builder, bool at_end) {
  const bool list = error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  if (!list && error.msg != YAML::ErrorMsg::END_OF_MAP_FLOW) return std::nullopt;
  const auto open = builder.innermost_open(list ? '[' : '{');
  if (!open) return std::nullopt;
  const std::string_view brackets = list ? "[]" : "{}";
  // At the end of a text without a last line break yaml-cpp gives the beginning as the place.
  const bool lost = std::pair(noticed.line, noticed.column) <= std::pair(open->mark.line, open->mark.column);
  if (at_end || lost)
    return Problem{open->mark, open->path, fmt::format("the {} is never closed", brackets[0])};
  return Problem{open->mark, open->path,
                 fmt::format("the {} opened here is not closed: expected , or {} at line {}, column {}",
                             brackets[0], brackets[1], noticed.line, noticed.column)};
}

/// Past the anchors and tags before a scalar.
std::size_t skip_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
  }
  return at;
}

bool is_closed(std::string_view text, std::size_t quote_at) {
  const char quote = text[quote_at];
  for (std::size_t i = quote_at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 >= text.size() || text[i + 1] != '\'') return true;
      ++i;  // '' is a quote inside
    }
  }
  return false;
}

}  // namespace

Problem explain(const YAML::Exception& error, const SourceText& source, const YamlBuilder& builder) {
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    return {source.mark(0, 0), "", "nested too deeply"};
  }
  if (error.mark.is_null()) return {source.mark(0, 0), "", sentence(error.msg, "")};
  const auto line = static_cast<std::size_t>(error.mark.line);
  const auto column = static_cast<std::size_t>(error.mark.column);
  const std::size_t offset = source.offset(line, column);
  const Mark noticed = source.mark(line, column);
  const bool at_end = source.text().find_first_not_of(" \t\r\n", offset) == std::string_view::npos;

  if (const auto bracket = unclosed_bracket(error, noticed, builder, at_end)) return *bracket;
  if (const auto quote = unclosed_quote(source, builder)) return *quote;
  if (const auto tab = tab_in_indentation(source.line(line))) {
    return {source.mark(line, *tab), "", "a tab in the indentation: YAML indents with spaces"};
  }
  return {noticed, "", sentence(error.msg, source.text().substr(offset))};
}

std::optional<Problem> unclosed_quote(const SourceText& source, const YamlBuilder& builder) {
  if (!builder.last_quoted()) return std::nullopt;
  const std::size_t at = skip_properties(source.text(), *builder.last_quoted());
  if (at >= source.text().size()) return std::nullopt;
  const char quote = source.text()[at];
  if ((quote != '\'' && quote != '"') || is_closed(source.text(), at)) return std::nullopt;
  return Problem{source.mark_of_offset(at), "", fmt::format("the {} is never closed", quote)};
}

}  // namespace lightrun::config
