#include "engine/weight_callbacks.hpp"

#include "callbacks/ema.hpp"
#include "callbacks/freeze.hpp"
#include "callbacks/lr_monitor.hpp"
#include "callbacks/swa.hpp"
#include "engine/norm_statistics.hpp"
#include "schedule/limits.hpp"
#include "state/safetensors.hpp"
#include "state/weights.hpp"
#include "support/atomic_file.hpp"
#include "support/pattern.hpp"

#include <lightrun/error.hpp>
#include <lightrun/make.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

namespace lightrun::engine {
namespace {

using Names = std::vector<std::string>;

/// Batch norms that are frozen with these parameters.
Names frozen_norms(const Module& model, const std::string& pattern, const Names& frozen) {
  Names norms;
  for (const auto& item : model.named_modules()) {
    const std::string prefix = item.key().empty() ? "" : item.key() + ".";
    if (!item.value()->named_buffers(/*recurse=*/false).contains("running_mean")) continue;
    const auto own = item.value()->named_parameters(/*recurse=*/false);
    const bool all = std::ranges::all_of(own, [&](const auto& parameter) {
      return std::ranges::find(frozen, prefix + parameter.key()) != frozen.end();
    });
    const bool is_named = !support::names_with(pattern, {prefix + "running_mean"}).empty();
    if (own.is_empty() ? is_named : all) norms.push_back(item.key());
  }
  return norms;
}

/// Writes what the model holds, for `lightrun test --checkpoint`.
void write_averaged(const Run& run) {
  if (run.info.run_dir.empty()) return;
  const auto path = std::filesystem::path(run.info.run_dir) / config::kAveragedFile;
  support::write_file_atomically(
      path, [&](std::ostream& out) { state::write_safetensors(out, state::weights_of(*run.model), {}); });
  spdlog::info("the averaged weights are in {}", path.string());
}

void write_with_statistics(Run& run) {
  if (run.info.run_dir.empty()) return;
  if (recompute_norm_statistics(run)) return write_averaged(run);
  spdlog::warn("{} is not written: the signal came before the batch norms had their statistics",
               config::kAveragedFile);
}

std::vector<double> flat(const std::vector<std::vector<double>>& rates) {
  std::vector<double> all;
  for (const auto& groups : rates) all.insert(all.end(), groups.begin(), groups.end());
  return all;
}

void set_rates(Run& run, const std::vector<double>& rates) {
  run.schedules_rest = true;
  auto next = rates.begin();
  for (auto& active : run.optimizers) {
    for (auto& group : active.setup.optimizer->param_groups()) group.options().set_lr(*next++);
  }
}

}  // namespace

std::unique_ptr<Callback> make_freeze(const Run& run, const config::FreezeSpec& spec,
                                      const std::string& path) {
  const std::string at = run.at_setting(path + ".params");
  const Names all = run.model->named_parameters().keys();
  Names frozen = support::names_with(spec.params, all);
  if (frozen.empty()) throw ConfigError(at + support::found_in_no_name(spec.params, all));
  if (frozen.size() == all.size()) {
    throw ConfigError(at + "'" + spec.params + "' is in every parameter's name: nothing would be trained");
  }
  Names norms = frozen_norms(*run.model, spec.params, frozen);
  return make_callback<callbacks::Freeze>(callbacks::Freeze::Rule{
      .parameters = std::move(frozen), .norms = std::move(norms), .until_epoch = spec.until_epoch});
}

std::unique_ptr<Callback> make_ema(Run& run, const config::EmaSpec& spec) {
  callbacks::Ema::Rule rule{
      .decay = spec.decay, .every_n_steps = spec.every_n_steps, .start_step = spec.start_step};
  if (spec.save_averaged) rule.write = [&run] { write_averaged(run); };
  return make_callback<callbacks::Ema>(std::move(rule));
}

std::unique_ptr<Callback> make_swa(Run& run, const config::SwaSpec& spec) {
  const config::Limit& start = spec.swa_epoch_start;
  return make_callback<callbacks::Swa>(
      callbacks::Swa::Rule{.start = start.kind == config::Limit::Kind::count
                                        ? start.count
                                        : schedule::limited(start, run.spec.trainer.max_epochs).value_or(0),
                           .rate = spec.swa_lrs,
                           .annealing_epochs = spec.annealing_epochs,
                           .linear = spec.annealing_strategy == config::Anneal::linear,
                           .rates = [&run] { return flat(run.group_rates()); },
                           .set_rates = [&run](const std::vector<double>& rates) { set_rates(run, rates); },
                           .write = [&run] { write_with_statistics(run); }});
}

std::unique_ptr<Callback> make_lr_monitor(Run& run, const config::LrMonitorSpec& spec) {
  run.logs_rates = false;
  return make_callback<callbacks::LrMonitor>(
      callbacks::LrMonitor::Options{.every_epoch = spec.logging_interval == config::Interval::epoch,
                                    .rates = [&run] { return run.group_rates(); }});
}

}  // namespace lightrun::engine
