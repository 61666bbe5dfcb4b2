#include "engine/profiler.hpp"

#include "support/duration.hpp"
#include "support/quantity.hpp"
#include "support/table.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace lightrun::engine {
namespace {

/// Short actions are short: "0.0123 ms".
std::string milliseconds_text(double value) {
  return fmt::format("{:.4f} ms", value * 1e3);
}

}  // namespace

void Profiler::add(std::string_view action, Clock::duration duration) {
  auto found = sums_.find(action);
  if (found == sums_.end()) found = sums_.emplace(action, Sum{}).first;
  ++found->second.calls;
  found->second.total += duration;
}

std::vector<std::string> Profiler::table() const {
  using Align = support::Table::Align;
  const double whole = support::seconds(Clock::now() - start_);
  std::vector<std::pair<std::string, Sum>> rows(sums_.begin(), sums_.end());
  std::ranges::stable_sort(rows,
                           [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  support::Table table({{"action"},
                        {"calls", Align::right},
                        {"mean", Align::right},
                        {"total", Align::right},
                        {"share", Align::right}});
  for (const auto& [action, sum] : rows) {
    const double total = support::seconds(sum.total);
    table.add_row({action, support::grouped_text(sum.calls),
                   milliseconds_text(total / static_cast<double>(sum.calls)), fmt::format("{:.3f} s", total),
                   fmt::format("{:.1f} %", 100 * total / whole)});
  }
  table.add_row({"the whole run", "1", milliseconds_text(whole), fmt::format("{:.3f} s", whole), "100.0 %"});
  return table.lines();
}

}  // namespace lightrun::engine
