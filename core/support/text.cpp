#include "support/text.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>

namespace lightrun::support {

namespace {

/// `epochs` in `max_epochs`, but not in `max_epochs_total_x` cut anywhere: parts end at `_` or `.`.
bool has_part(std::string_view candidate, std::string_view word) {
  const auto ends = [](char c) { return c == '_' || c == '.'; };
  for (auto at = candidate.find(word); at != std::string_view::npos; at = candidate.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || ends(candidate[at - 1])) && (end == candidate.size() || ends(candidate[end])))
      return true;
  }
  return false;
}

struct Utf8Form {
  std::size_t length;
  unsigned char second_min;
  unsigned char second_max;
};

/// What may follow a first byte: Unicode 15, table 3-7. Length 0: nothing starts so.
Utf8Form utf8_form(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first >= 0xC2 && first <= 0xDF) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  if (first >= 0xF1 && first <= 0xF3) return {4, 0x80, 0xBF};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string> did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMostEdits = 4;
  constexpr std::size_t kLongestWord = 100;  // nobody meant a known name by more than that
  constexpr std::size_t kShortestPart = 3;
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  if (std::find(candidates.begin(), candidates.end(), word) != candidates.end()) return std::nullopt;

  std::size_t best = std::clamp<std::size_t>(word.size() / 3, 1, kMostEdits) + 1;
  const std::string* nearest = nullptr;
  std::vector<const std::string*> with_part;
  for (const std::string& candidate : candidates) {
    // One letter in place of one letter is another word, not a slip.
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < std::max(word.size(), candidate.size())) {
      best = distance;
      nearest = &candidate;
    }
    if (word.size() >= kShortestPart && has_part(candidate, word)) with_part.push_back(&candidate);
  }
  if (nearest != nullptr) return *nearest;
  if (with_part.size() == 1) return *with_part.front();
  return std::nullopt;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string either(const std::vector<std::string>& words) {
  if (words.size() < 2) return join(words);
  return join({words.begin(), words.end() - 1}) + " or " + words.back();
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!lines.empty() && characters(lines.back()) + 1 + characters(word) <= width)
      lines.back() += ' ' + word;
    else
      lines.push_back(std::move(word));
  }
  return lines;
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Form form = utf8_form(byte(i));
    if (form.length == 0 || i + form.length > text.size()) return i;
    if (form.length > 1 && (byte(i + 1) < form.second_min || byte(i + 1) > form.second_max)) return i;
    for (std::size_t k = 2; k < form.length; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return i;
    }
    i += form.length;
  }
  return std::nullopt;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace lightrun::support
