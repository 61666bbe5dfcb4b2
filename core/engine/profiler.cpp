#include "engine/profiler.hpp"

#include "engine/operator_recorder.hpp"
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

Profiler::Profiler() = default;

Profiler::Profiler(const std::filesystem::path& folder, ChromeTrace::Limits limits)
    : trace_(std::make_shared<ChromeTrace>(folder, limits)),
      operators_(std::make_unique<OperatorRecorder>(trace_)) {}

Profiler::~Profiler() {
  close_trace();
}

void Profiler::add(std::string_view action, Clock::time_point start, Clock::time_point end) {
  auto found = sums_.find(action);
  if (found == sums_.end()) found = sums_.emplace(action, Sum{}).first;
  ++found->second.calls;
  found->second.total += end - start;
  if (!trace_) return;
  trace_->add(ChromeTrace::Category::hook, action, start, end);
  trace_->write_if_due();
  if (operators_ && !trace_->takes(ChromeTrace::Category::op)) operators_.reset();
}

void Profiler::count_batch() {
  if (++batches_ == kBatchesWithOperators) operators_.reset();
}

std::optional<std::string> Profiler::close_trace() {
  if (!trace_) return std::nullopt;
  operators_.reset();
  trace_->close();
  auto summary = trace_->summary();
  if (summary && batches_ > kBatchesWithOperators)
    *summary += fmt::format("; operators of the first {} batches", kBatchesWithOperators);
  return summary;
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
