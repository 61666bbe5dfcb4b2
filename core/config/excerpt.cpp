#include "config/excerpt.hpp"

#include "support/elide.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace lightrun::config {
namespace {

constexpr std::size_t kWidth = 72;   // columns of the excerpt, beside its margin
constexpr std::size_t kBefore = 32;  // of them before the caret, where a line is cut

struct FilePlace {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Takes ":<digits>" from the end of `text`.
std::optional<std::size_t> take_last_number(std::string_view& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number == 0) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

/// The place that a message begins with. A file's name may have colons, too.
std::optional<FilePlace> place_in(std::string_view message) {
  for (auto end = message.find(": "); end != std::string_view::npos; end = message.find(": ", end + 1)) {
    std::string_view head = message.substr(0, end);
    const auto column = take_last_number(head);
    const auto line = column ? take_last_number(head) : std::nullopt;
    if (line && !head.empty()) return FilePlace{std::string(head), *line, *column};
  }
  return std::nullopt;
}

std::optional<std::string> line_of(const FilePlace& place) {
  std::ifstream file(place.file);
  std::string line;
  for (std::size_t number = 0; std::getline(file, line); ++number) {
    if (number == 0 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (number + 1 != place.line) continue;
    while (!line.empty() && line.back() == '\r') line.pop_back();
    std::ranges::replace(line, '\t', ' ');
    return line;
  }
  return std::nullopt;
}

/// Where character number `column` (from 1) begins, in bytes; the end of a shorter line.
std::size_t byte_of(std::string_view line, std::size_t column) {
  std::size_t byte = 0;
  for (std::size_t seen = 1; seen < column && byte < line.size(); ++seen) {
    ++byte;
    while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xC0) == 0x80) ++byte;
  }
  return byte;
}

/// How many bytes from `begin` on belong to one key, number or quoted text.
std::size_t token_length(std::string_view line, std::size_t begin) {
  if (begin >= line.size()) return 1;
  const char quote = line[begin];
  if (quote == '"' || quote == '\'') {
    const auto end = line.find(quote, begin + 1);
    return (end == std::string_view::npos ? line.size() : end + 1) - begin;
  }
  return std::max<std::size_t>(std::min(line.find_first_of(" :,]}[{#", begin), line.size()) - begin, 1);
}

/// Two lines: `line`, and a caret under `length` bytes from `begin` on.
std::string drawn(const std::string& margin, std::string_view line, std::size_t begin, std::size_t length) {
  begin = std::min(begin, line.size());
  const std::string_view before = line.substr(0, begin);
  std::string head(before);
  if (support::display_width(line) > kWidth && support::display_width(before) > kBefore) {
    const std::size_t cut = byte_of(before, support::characters(before) - kBefore + 4);
    head = "..." + std::string(before.substr(cut));
  }
  const std::string shown = head + std::string(line.substr(begin));
  const std::size_t indent = support::display_width(head);
  const std::size_t room = kWidth > indent ? kWidth - indent : 1;
  const std::size_t marked = support::display_width(line.substr(begin, length));
  const std::size_t tail = std::clamp<std::size_t>(marked, 1, room) - 1;
  return fmt::format("\n{} | {}\n{:{}} | {:{}}^{:~<{}}", margin, support::elide(shown, kWidth), "",
                     margin.size(), "", indent, "", tail);
}

std::string file_excerpt(const FilePlace& place) {
  const auto line = line_of(place);
  if (!line) return "";
  const std::size_t begin = byte_of(*line, place.column);
  return drawn(fmt::format("{:5}", place.line), *line, begin, token_length(*line, begin));
}

/// As one would type it.
std::string quoted(const std::string& word) {
  const bool is_plain =
      !word.empty() && word.find_first_of(" \t\n\"'\\$`*?[]{}()<>|&;#~!") == std::string::npos;
  if (is_plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c == '\n' ? ' ' : c);
  return text + "'";
}

/// The flags of a message and its words in quotes, without the punctuation around them.
std::vector<std::string> typed_words(const std::string& message) {
  std::vector<std::string> words;
  std::istringstream stream(message);
  for (std::string word; stream >> word;) {
    const bool is_typed = word.starts_with("-") || word.starts_with("'");
    const auto begin = word.find_first_not_of("'");
    const auto end = word.find_last_not_of("'):;,?");
    if (is_typed && begin != std::string::npos && end != std::string::npos && begin <= end)
      words.push_back(word.substr(begin, end - begin + 1));
  }
  return words;
}

bool is_given(const std::string& word, const std::vector<std::string>& words) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& each) {
    return each == word || (word.starts_with("-") && each.starts_with(word + "="));
  });
}

/// What a message about the command line is about: the flag it begins with; or, of one that begins with the
/// program and maybe its command, the first flag or word in quotes after these that was given.
std::string marked_word(const std::string& message, const std::vector<std::string>& words) {
  if (message.starts_with("--")) return message.substr(0, message.find(": "));
  const auto head_end = message.find(": ");
  if (words.empty() || head_end == std::string::npos) return "";
  const std::string head = message.substr(0, head_end);
  if (head != words[0] && !head.starts_with(words[0] + ' ')) return "";
  for (const std::string& word : typed_words(message.substr(head_end + 2)))
    if (is_given(word, words)) return word;
  return "";
}

/// The command line with that word marked, where it is given the last time, and a flag's value with it.
std::string flag_excerpt(const std::string& message, const std::vector<std::string>& words) {
  const std::string marked = marked_word(message, words);
  if (marked.empty()) return "";
  const bool is_flag = marked.starts_with("-");
  std::string line;
  std::size_t begin = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) line += ' ';
    const std::size_t at = line.size();
    line += quoted(words[i]);
    const bool stands_alone = i > 0 && words[i] == marked;
    if (!stands_alone && !(is_flag && words[i].starts_with(marked + "="))) continue;
    begin = at;
    const bool has_value =
        stands_alone && marked.starts_with("--") && i + 1 < words.size() && !words[i + 1].starts_with("--");
    length = line.size() - at + (has_value ? 1 + quoted(words[i + 1]).size() : 0);
  }
  return length == 0 ? "" : drawn(std::string(5, ' '), line, begin, length);
}

}  // namespace

std::string with_excerpts(const std::string& text, const std::vector<std::string>& words) {
  std::string shown;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!shown.empty()) shown += '\n';
    shown += line;
    if (const auto place = place_in(line)) {
      shown += file_excerpt(*place);
    } else {
      shown += flag_excerpt(line, words);
    }
  }
  return shown;
}

}  // namespace lightrun::config
