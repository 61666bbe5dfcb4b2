#include "report/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace lightrun::report {
namespace {

/// The parts of a name between '_', '/', '.', '-' and ' ', in lower case.
[[nodiscard]] std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::string_view("_/.- @").find(c) != std::string_view::npos) {
      words.emplace_back();
    } else {
      words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return words;
}

template <std::size_t N>
[[nodiscard]] bool has_any(const std::vector<std::string>& words,
                           const std::array<std::string_view, N>& wanted) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
}

}  // namespace

Better better_by_name(const std::string& metric) {
  static constexpr std::array<std::string_view, 16> kLower = {
      "loss", "losses", "error", "err",        "mse", "mae", "rmse", "nll",
      "bce",  "kl",     "elbo",  "perplexity", "ppl", "wer", "cer",  "fid"};
  static constexpr std::array<std::string_view, 17> kHigher = {
      "acc",  "accuracy", "auc",  "auroc", "f1",   "precision", "recall",  "score", "top1",
      "top5", "iou",      "miou", "bleu",  "psnr", "ssim",      "rewards", "reward"};
  const std::vector<std::string> words = words_of(metric);
  if (words.front() == "grad") return Better::unknown;
  if (has_any(words, kLower)) return Better::lower;
  return has_any(words, kHigher) ? Better::higher : Better::unknown;
}

Summary summary_of(const Series& series, Better better) {
  Summary summary{
      .final = {series.values.back(), series.rows.back()}, .lowest = {}, .highest = {}, .best = {}};
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const ValueAt here{series.values[i], series.rows[i]};
    if (!std::isfinite(here.value)) continue;
    if (!summary.lowest || here.value < summary.lowest->value) summary.lowest = here;
    if (!summary.highest || here.value > summary.highest->value) summary.highest = here;
  }
  if (better == Better::lower) summary.best = summary.lowest;
  if (better == Better::higher) summary.best = summary.highest;
  return summary;
}

}  // namespace lightrun::report
