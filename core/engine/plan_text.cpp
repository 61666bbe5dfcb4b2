#include "engine/plan_text.hpp"

#include "engine/optimizers.hpp"
#include "optim/optimizer_state.hpp"
#include "schedule/timetable.hpp"
#include "schedule/window.hpp"
#include "state/weights.hpp"
#include "support/duration.hpp"
#include "support/plot.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <variant>

namespace lightrun::engine {
namespace {

using TextLines = std::vector<std::string>;
using support::counted;
using support::grouped_text;

std::string batches_text(int64_t count) {
  return counted(count, "batch", "batches");
}

void add(TextLines& lines, const std::string& name, const std::string& text) {
  if (!text.empty()) lines.push_back(fmt::format("{:<14}{}", name, text));
}

std::string data_text(const RunInfo& info) {
  if (!info.train_batches) return "a stream: how many batches an epoch has nobody knows";
  std::string text = batches_text(*info.train_batches) + " an epoch";
  if (info.train_samples && info.batch_size) {
    text += fmt::format(", of {} with {} a batch", counted(*info.train_samples, "sample", "samples"),
                        *info.batch_size);
  }
  if (info.train_batches_available && *info.train_batches < *info.train_batches_available)
    text += fmt::format(" ({} leaves them of {})", info.limited_by, *info.train_batches_available);
  return text;
}

/// "11 of 4 batches, then 1 of 1".
std::string window_sizes(const std::vector<int64_t>& windows) {
  std::string text;
  for (std::size_t begin = 0; begin < windows.size();) {
    std::size_t end = begin;
    while (end < windows.size() && windows[end] == windows[begin]) ++end;
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", then ",
                        grouped_text(static_cast<int64_t>(end - begin)), batches_text(windows[begin]));
    begin = end;
  }
  return text;
}

std::string windows_text(const Run& run, const schedule::Timetable& table) {
  std::string text = window_sizes(table.windows) + " in the first epoch";
  for (const auto& [epoch, factor] : run.plan.accumulation) {
    if (epoch > 0) text += fmt::format("; {} a step from epoch {} on", batches_text(factor), epoch + 1);
  }
  return text;
}

std::string training_text(const Run& run, const std::optional<schedule::Timetable>& table) {
  if (!table) {
    const bool endless = run.plan.max_epochs == schedule::Plan::kNoLimit && !run.plan.max_steps;
    return endless ? "without an end: until it is stopped"
                   : fmt::format("until {}", run.plan.max_steps
                                                 ? fmt::format("step {}", grouped_text(*run.plan.max_steps))
                                                 : counted(run.plan.max_epochs, "epoch", "epochs"));
  }
  std::string text = fmt::format("{}, {}, {}", counted(table->epochs, "epoch", "epochs"),
                                 batches_text(table->batches), counted(table->steps, "step", "steps"));
  if (run.plan.max_steps_reached(table->steps))
    text += fmt::format(" (max_steps {})", grouped_text(*run.plan.max_steps));
  if (const auto limit = run.spec.trainer.max_time) text += ", at most " + support::duration_text(*limit);
  return text;
}

/// "after batches 45, 90, 135, ... 1,350 of the run".
std::string places_text(const std::vector<int64_t>& places) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_shown = i < kShown || i + 1 == places.size() || places.size() == kShown + 1;
    if (is_shown) words.push_back(grouped_text(places[i]));
    if (i == kShown && places.size() > kShown + 2) words.emplace_back("...");
  }
  return support::join(words);
}

std::string validation_text(const Run& run, const std::optional<schedule::Timetable>& table) {
  if (!run.plan.validates()) return "none";
  const std::string batches = run.plan.val_batches ? batches_text(*run.plan.val_batches) : "a stream";
  std::string text = run.plan.sanity_batches > 0
                         ? fmt::format("{} before the training; ", batches_text(run.plan.sanity_batches))
                         : "";
  if (!table) return text + batches + " each";
  const auto count = static_cast<int64_t>(table->validations.size());
  text += fmt::format("{} of {}", grouped_text(count), batches);
  if (count > 0) text += ", after training batches " + places_text(table->validations);
  return text;
}

std::string checkpoint_rule(const config::ModelCheckpointSpec& spec) {
  std::vector<std::string> when;
  if (spec.every_n_epochs > 0)
    when.push_back(spec.every_n_epochs == 1 ? "every epoch"
                                            : fmt::format("every {} epochs", spec.every_n_epochs));
  if (spec.every_n_train_steps) when.push_back(fmt::format("every {} steps", *spec.every_n_train_steps));
  if (spec.every_n_minutes) when.push_back(fmt::format("every {:g} minutes", *spec.every_n_minutes));
  std::string text;
  if (spec.save_top_k != 0 && spec.monitor) {
    const std::string kept = spec.save_top_k < 0    ? "all"
                             : spec.save_top_k == 1 ? "the best"
                                                    : fmt::format("the best {}", spec.save_top_k);
    text = fmt::format("{} by {} ({})", kept, *spec.monitor, spec.mode == config::Mode::max ? "max" : "min");
  } else if (spec.save_top_k != 0) {
    text = spec.save_top_k < 0 ? "all" : fmt::format("the newest {}", spec.save_top_k);
  }
  if (spec.save_last) text += std::string(text.empty() ? "" : " and ") + "last.ckpt";
  return text + (when.empty() ? ", at the end" : ", " + support::join(when, " and "));
}

void add_checkpoints(const Run& run, int64_t bytes, TextLines& lines) {
  if (!run.spec.trainer.enable_checkpointing) return add(lines, "checkpoints", "none");
  TextLines rules;
  for (const auto& callback : run.spec.callbacks) {
    if (const auto* spec = std::get_if<config::ModelCheckpointSpec>(&callback))
      rules.push_back(checkpoint_rule(*spec));
  }
  if (rules.empty()) rules.push_back(checkpoint_rule({}));
  for (std::size_t i = 0; i < rules.size(); ++i) add(lines, i == 0 ? "checkpoints" : "", rules[i]);
  add(lines, "", "each of about " + support::bytes_text(bytes));
}

int64_t bytes_of(const optim::OptimizerState& state) {
  int64_t bytes = 0;
  for (const auto& [name, values] : state.parameters) {
    for (const auto& [key, value] : values.values()) {
      if (const auto* tensor = std::get_if<torch::Tensor>(&value))
        bytes += static_cast<int64_t>(tensor->nbytes());
    }
  }
  return bytes;
}

/// nullopt: it evaluates the loss itself, and cannot be tried.
std::optional<int64_t> optimizer_bytes(Run& run) {
  int64_t bytes = 0;
  for (auto& active : run.optimizers) {
    if (active.evaluates_loss()) return std::nullopt;
    for (torch::Tensor& parameter : active.parameters)
      parameter.mutable_grad() = torch::zeros_like(parameter);
    active.setup.optimizer->step();
    bytes += bytes_of(optim::state_of(*active.setup.optimizer, active.named_parameters));
  }
  return bytes;
}

struct Memory {
  int64_t parameters = 0;
  int64_t gradients = 0;
  int64_t buffers = 0;
  std::optional<int64_t> optimizers;

  [[nodiscard]] int64_t checkpoint() const { return parameters + buffers + optimizers.value_or(0); }
};

Memory memory_of(Run& run) {
  Memory memory;
  for (const auto& parameter : run.model->parameters()) {
    memory.parameters += static_cast<int64_t>(parameter.nbytes());
    if (parameter.requires_grad()) memory.gradients += static_cast<int64_t>(parameter.nbytes());
  }
  for (const auto& buffer : run.model->buffers()) memory.buffers += static_cast<int64_t>(buffer.nbytes());
  memory.optimizers = optimizer_bytes(run);
  return memory;
}

std::string memory_text(const Memory& memory) {
  std::string text = fmt::format("parameters {}, gradients {}", support::bytes_text(memory.parameters),
                                 support::bytes_text(memory.gradients));
  if (memory.buffers > 0) text += ", buffers " + support::bytes_text(memory.buffers);
  return text + ", optimizer state " +
         (memory.optimizers ? support::bytes_text(*memory.optimizers) : "unknown") +
         "; activations come on top";
}

/// The rate of an optimizer's first group at optimizer step `step` (from 0) of the run.
double rate_at(const ActiveOptimizer& active, int64_t step, const schedule::Timetable& table) {
  const LrSchedule& schedule = *active.setup.schedule;
  int64_t events = step;
  if (schedule.interval == LrSchedule::Interval::epoch)
    events = std::ranges::upper_bound(table.steps_at_epoch, step) - table.steps_at_epoch.begin() - 1;
  return schedule.rate(active.base_rates.front(), events / schedule.frequency);
}

void add_rates(const ActiveOptimizer& active, const schedule::Timetable& table, std::size_t width,
               TextLines& lines) {
  constexpr std::size_t kHeight = 7;
  constexpr int64_t kMostPoints = 400;
  const int64_t points = std::min(table.steps, kMostPoints);
  std::vector<double> rates;
  for (int64_t i = 0; i < points; ++i)
    rates.push_back(rate_at(active, points == 1 ? 0 : i * (table.steps - 1) / (points - 1), table));
  std::vector<std::string> chosen;
  for (const int64_t quarter : {0, 1, 2, 3, 4}) {
    const int64_t step = quarter * (table.steps - 1) / 4;
    chosen.push_back(fmt::format("step {}: {}", grouped_text(step + 1),
                                 support::value_text(rate_at(active, step, table))));
  }
  add(lines, "", support::join(chosen, ",  "));
  for (const std::string& line : support::plot(rates, width - 14, kHeight)) add(lines, "", line);
}

void add_optimizers(const Run& run, const std::optional<schedule::Timetable>& table, std::size_t width,
                    TextLines& lines) {
  for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
    const ActiveOptimizer& active = run.optimizers[i];
    const auto& schedule = active.setup.schedule;
    std::string text = run.info.optimizers[i];
    if (active.setup.frequency > 0)
      text += fmt::format(", {} in its turn", batches_text(active.setup.frequency));
    if (schedule && schedule->plateau) text += ", lowered as " + schedule->plateau->monitor + " says";
    add(lines, i == 0 ? "optimizer" : "", text);
    const bool can_be_drawn = schedule && schedule->rate && !schedule->plateau && table && table->steps > 0;
    if (can_be_drawn && active.setup.frequency == 0) add_rates(active, *table, width, lines);
  }
}

}  // namespace

std::vector<std::string> plan_text(Run& run, std::size_t width) {
  const auto table = schedule::timetable(run.plan);
  const Memory memory = memory_of(run);
  const int64_t parameters = state::parameter_count(*run.model);
  TextLines lines;
  add(lines, "model",
      fmt::format("{}, {}", run.info.model_name, counted(parameters, "parameter", "parameters")));
  add(lines, "data", data_text(run.info));
  if (table && table->steps > 0) add(lines, "windows", windows_text(run, *table));
  add(lines, "training", training_text(run, table));
  add(lines, "validation", validation_text(run, table));
  add_checkpoints(run, memory.checkpoint(), lines);
  add(lines, "logs",
      run.plan.log_every_n_steps == 1
          ? "every step"
          : fmt::format("every {} steps, and at every epoch's end", run.plan.log_every_n_steps));
  add_optimizers(run, table, width, lines);
  add(lines, "memory", memory_text(memory));
  return lines;
}

}  // namespace lightrun::engine
