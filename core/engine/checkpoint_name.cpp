#include "engine/checkpoint_name.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <limits>

namespace lightrun::engine {
namespace {

template <typename Number>
std::string number_text(const std::string& format, Number number) {
  return fmt::format(fmt::runtime("{:" + format + "}"), number);
}

std::string value_text(const config::NamePiece& piece, const Context& context) {
  const bool is_whole = piece.format.empty() || piece.format.ends_with('d') ||
                        std::ranges::all_of(piece.format, [](char c) { return c >= '0' && c <= '9'; });
  const auto whole = [&](int64_t number) {
    return is_whole ? number_text(piece.format, number)
                    : number_text(piece.format, static_cast<double>(number));
  };
  if (piece.text == "epoch") return whole(context.epoch());
  if (piece.text == "step") return whole(context.steps_done());
  return number_text(piece.format,
                     context.metric(piece.text).value_or(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace

std::string checkpoint_name(const std::vector<config::NamePiece>& pattern, const Context& context) {
  std::string name;
  for (const auto& piece : pattern)
    name += piece.is_value ? piece.text + "=" + value_text(piece, context) : piece.text;
  std::ranges::replace(name, '/', '_');
  return name;
}

std::optional<std::string> unknown_metric(const std::vector<config::NamePiece>& pattern,
                                          const Context& context) {
  for (const auto& piece : pattern) {
    const bool is_metric = piece.is_value && piece.text != "epoch" && piece.text != "step";
    if (is_metric && !context.metric(piece.text)) return piece.text;
  }
  return std::nullopt;
}

}  // namespace lightrun::engine
