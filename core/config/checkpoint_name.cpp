#include "config/checkpoint_name.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace lightrun::config {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kSuffix = ".ckpt";

/// "character 9" of what begins at byte `offset`.
std::string character(std::string_view pattern, std::size_t offset) {
  return fmt::format("character {}", support::characters(pattern.substr(0, offset)) + 1);
}

/// "" of a pattern whose parts may be looked at.
std::string wrong_as_a_whole(std::string_view pattern) {
  if (pattern.empty()) return "must not be empty";
  if (pattern == "last") return "must not be last, which is the newest checkpoint's name";
  if (pattern.front() == '.') return "must not begin with a point";
  if (pattern.ends_with(kSuffix)) return "must not end in .ckpt, which is added";
  if (has_control_character(pattern)) return "must be on one line, without control characters";
  return "";
}

/// The one or two digits at the front of `format`, which loses them.
bool take_count(std::string_view& format) {
  constexpr std::size_t kMost = 2;
  const std::size_t length = std::min(format.find_first_not_of(kDigits), format.size());
  format.remove_prefix(length);
  return length > 0 && length <= kMost;
}

/// Whether it is [width][.precision][d|f|e|g], and not empty.
bool is_format(std::string_view format) {
  if (format.empty()) return false;
  if (kDigits.find(format.front()) != std::string_view::npos && !take_count(format)) return false;
  const bool has_precision = format.starts_with('.');
  if (has_precision) {
    format.remove_prefix(1);
    if (!take_count(format)) return false;
  }
  return format.empty() || format == "f" || format == "e" || format == "g" ||
         (format == "d" && !has_precision);
}

bool is_whole(std::string_view name) {
  return name == "epoch" || name == "step";
}

/// The text from `offset` on to the next value.
Parsed<NamePiece> text_at(std::string_view pattern, std::size_t offset) {
  const std::string_view text = pattern.substr(offset, pattern.find('{', offset) - offset);
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    return {std::nullopt,
            fmt::format("must be a plain file name without / (at {})", character(pattern, offset + slash))};
  }
  if (const auto brace = text.find('}'); brace != std::string_view::npos) {
    return {std::nullopt, fmt::format("the }} at {} closes nothing", character(pattern, offset + brace))};
  }
  return {NamePiece{.text = std::string(text)}};
}

/// The value whose { is at `offset`; its } is at `end`.
Parsed<NamePiece> value_at(std::string_view pattern, std::size_t offset, std::size_t end) {
  const std::string_view inside = pattern.substr(offset + 1, end - offset - 1);
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  const std::string_view name = inside.substr(0, colon);
  if (name.empty() || name.front() == ' ' || name.back() == ' ') {
    return {std::nullopt, fmt::format("the {{ at {} needs a name without blanks around it, as in {{epoch}}",
                                      character(pattern, offset))};
  }
  if (colon == inside.size()) return {NamePiece{.text = std::string(name), .is_value = true}};
  const std::string_view format = inside.substr(colon + 1);
  const std::string place = character(pattern, offset + 1 + colon + 1);
  if (!is_format(format)) {
    return {std::nullopt, fmt::format("the format '{}' at {} must be [width][.precision][d|f|e|g], as in .3f",
                                      format, place)};
  }
  if (format.ends_with('d') && !is_whole(name)) {
    return {std::nullopt, fmt::format("the format '{}' at {}: d is for epoch and step; {} may have f, e or g",
                                      format, place, name)};
  }
  return {NamePiece{.text = std::string(name), .is_value = true, .format = std::string(format)}};
}

}  // namespace

Parsed<std::vector<NamePiece>> parse_checkpoint_name(std::string_view pattern) {
  if (std::string wrong = wrong_as_a_whole(pattern); !wrong.empty()) return {std::nullopt, std::move(wrong)};
  std::vector<NamePiece> pieces;
  for (std::size_t offset = 0; offset < pattern.size();) {
    const bool is_value = pattern[offset] == '{';
    const std::size_t end = is_value ? pattern.find_first_of("{}", offset + 1) : pattern.find('{', offset);
    if (is_value && (end == std::string_view::npos || pattern[end] == '{')) {
      return {std::nullopt, fmt::format("the {{ at {} is never closed", character(pattern, offset))};
    }
    Parsed<NamePiece> piece = is_value ? value_at(pattern, offset, end) : text_at(pattern, offset);
    if (!piece.value) return {std::nullopt, std::move(piece.error)};
    pieces.push_back(std::move(*piece.value));
    offset = is_value ? end + 1 : std::min(end, pattern.size());
  }
  return {std::move(pieces)};
}

Codec<std::string> checkpoint_name() {
  auto codec = any_text();
  codec.range = "a file name without / and .ckpt";
  codec.read = [read = codec.read](const Value& value, const Report& report) -> std::optional<std::string> {
    auto pattern = read(value, report);
    if (!pattern) return std::nullopt;
    const auto parsed = parse_checkpoint_name(*pattern);
    if (parsed.value) return pattern;
    report(value.mark,
           pattern->empty() ? parsed.error : fmt::format("{}, got {}", parsed.error, value.shown()));
    return std::nullopt;
  };
  return codec;
}

std::string effective_filename(const ModelCheckpointSpec& checkpoint) {
  if (checkpoint.filename) return *checkpoint.filename;
  return checkpoint.save_top_k == 1 && checkpoint.monitor ? "best" : "{epoch}-{step}";
}

}  // namespace lightrun::config
