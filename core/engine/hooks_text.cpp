#include "engine/plan_text.hpp"

#include "support/quantity.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace lightrun::engine {
namespace {

using TextLines = std::vector<std::string>;

/// "callback, model" of calls of one hook that follow each other.
struct HookStep {
  std::string hook;
  std::string who;

  friend bool operator==(const HookStep&, const HookStep&) = default;
};

/// A batch, or what is before the first or after the last of them.
struct Stretch {
  int64_t batch = -1;
  std::vector<HookStep> steps = {};
};

void add_call(const HookCall& call, std::vector<HookStep>& steps) {
  if (!steps.empty() && steps.back().hook == call.hook && steps.back().who == "callback" &&
      call.who == "model") {
    steps.back().who += ", model";
    return;
  }
  steps.push_back({call.hook, call.who});
}

std::vector<Stretch> parts_of(const std::vector<HookCall>& calls) {
  std::vector<Stretch> parts(1);
  for (const HookCall& call : calls) {
    if (call.hook == "on_batch_start" && call.batch_idx != parts.back().batch)
      parts.push_back({.batch = call.batch_idx});
    if (call.hook == "on_epoch_end" && parts.back().batch >= 0) parts.push_back({});
    add_call(call, parts.back().steps);
  }
  return parts;
}

void print_steps(const std::vector<HookStep>& steps, TextLines& lines) {
  for (const HookStep& step : steps) lines.push_back(fmt::format("    {:<28}{}", step.hook, step.who));
}

}  // namespace

std::vector<std::string> hooks_text(const std::vector<HookCall>& calls) {
  TextLines lines;
  const auto parts = parts_of(calls);
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i + 1;
    while (end < parts.size() && parts[i].batch >= 0 && parts[end].steps == parts[i].steps) ++end;
    if (parts[i].batch >= 0) {
      const bool one = end == i + 1;
      lines.push_back(one ? fmt::format("  batch {}", parts[i].batch)
                          : fmt::format("  batches {} to {}, each", parts[i].batch, parts[end - 1].batch));
    } else {
      lines.emplace_back(i == 0 ? "  before the first batch" : "  after the last batch");
    }
    print_steps(parts[i].steps, lines);
    i = end;
  }
  return lines;
}

}  // namespace lightrun::engine
