#include "config/checks.hpp"

#include "config/checks_callbacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::config {

namespace {

struct Together : Findings {
  std::size_t single = 0;  ///< how many of the problems are of single settings
};

/// Whether the setting, or what it is in, has a problem of its own already: it has another value then than
/// the one that was meant.
bool is_wrong(const std::string& path, const Together& findings) {
  const std::span<const Problem> single(findings.problems.data(), findings.single);
  return std::ranges::any_of(single, [&](const Problem& problem) {
    std::string whole = problem.path;
    for (const std::string_view of_all : {".type", ".source"}) {
      if (whole.ends_with(of_all)) whole.resize(whole.size() - of_all.size());
    }
    return !whole.empty() && (path == whole || path.starts_with(whole + '.'));
  });
}

/// Settings that do not go together are wrong where one of them was given: at a flag, if there is one, since
/// the files alone may be right; else at the first that was given at all.
void refuse(const std::vector<std::string>& paths, const std::string& why, Together& findings) {
  if (std::ranges::any_of(paths, [&](const auto& path) { return is_wrong(path, findings); })) return;
  Mark place;
  for (const std::string& path : paths) {
    const auto at = findings.origins.find(path);
    if (at == findings.origins.end()) continue;
    if (place.empty() || (at->second.is_flag() && !place.is_flag())) place = at->second;
  }
  findings.report(place, paths.front(), why);
}

/// Nesterov's momentum is that of a momentum, and nothing may dampen it.
bool lacks_momentum(const OptimizerKind& options) {
  const auto* sgd = std::get_if<SgdSpec>(&options);
  return sgd != nullptr && sgd->nesterov && !(sgd->momentum > 0 && sgd->dampening == 0);
}

void check_nesterov(const RunSpec& spec, Together& findings) {
  if (!spec.optimizer) return;
  const auto refuse_in = [&](const std::string& path) {
    refuse({path + ".nesterov", path + ".momentum", path + ".dampening", "optimizer.nesterov"},
           "needs momentum > 0 and dampening 0", findings);
  };
  if (lacks_momentum(spec.optimizer->kind)) return refuse_in("optimizer");
  for (std::size_t i = 0; i < spec.optimizer->groups.size(); ++i) {
    if (lacks_momentum(options_of(*spec.optimizer, spec.optimizer->groups[i])))
      refuse_in(fmt::format("optimizer.groups.{}", i));
  }
}

void check_lbfgs(const RunSpec& spec, Together& findings) {
  if (!spec.optimizer || !std::holds_alternative<LbfgsSpec>(spec.optimizer->kind)) return;
  if (accumulates(spec.trainer)) {
    refuse({"trainer.accumulate_grad_batches", "optimizer.type", "optimizer"},
           "not with lbfgs: it evaluates the loss of one batch several times a step; use a larger batch",
           findings);
  }
  if (spec.trainer.gradient_clip_val > 0) {
    refuse({"trainer.gradient_clip_val", "optimizer.type", "optimizer"},
           "not with lbfgs: its line of descent is made from gradients that belong together; lower lr, or "
           "use line_search_fn: strong_wolfe",
           findings);
  }
}

void check_nonfinite(const RunSpec& spec, Together& findings) {
  if (!spec.trainer.terminate_on_nan || spec.trainer.on_nonfinite != OnNonfinite::skip) return;
  refuse({"trainer.on_nonfinite", "trainer.terminate_on_nan"},
         "skip, but terminate_on_nan: true says stop; give one of them", findings);
}

void check_validation(const RunSpec& spec, Together& findings) {
  const TrainerSpec& trainer = spec.trainer;
  if (trainer.check_val_every_n_epoch || trainer.val_check_interval.kind == Limit::Kind::count) return;
  refuse({"trainer.check_val_every_n_epoch", "trainer.val_check_interval"},
         fmt::format("null counts batches across epochs: val_check_interval must then be a number of "
                     "batches, not {}",
                     trainer.val_check_interval.text()),
         findings);
}

/// Whether two loggers come into each other's way: the same path, or one a folder where the other has a file.
bool collide(const LoggerSpec& a, const LoggerSpec& b) {
  const auto is_in = [](const LoggerSpec& inner, const LoggerSpec& outer) {
    return !std::holds_alternative<TensorboardLoggerSpec>(outer) &&
           output_path(inner).starts_with(output_path(outer) + "/");
  };
  return output_path(a) == output_path(b) || is_in(a, b) || is_in(b, a);
}

void check_loggers(const RunSpec& spec, Together& findings) {
  for (std::size_t second = 1; second < spec.loggers.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (!collide(spec.loggers[first], spec.loggers[second])) continue;
      const std::string path = fmt::format("loggers.{}", second);
      const std::string other = fmt::format("loggers.{}", first);
      refuse({path, path + ".file", path + ".log_dir", other + ".file", other + ".log_dir", other},
             fmt::format("would write the same {} as {}: give one of them another name",
                         output_path(spec.loggers[second]), other),
             findings);
    }
  }
}

void warn_of_one_batch(const std::string& path, const Limit& limit, const char* meaning, Together& findings) {
  if (limit != Limit::of_count(1)) return;
  findings.warnings.push_back(fmt::format("{}{}: 1 is {}", where(findings.origins, path), path, meaning));
}

void warn_of_minima(const TrainerSpec& trainer, Together& findings) {
  const auto warn = [&](const std::string& path, int64_t least, int64_t most) {
    findings.warnings.push_back(fmt::format("{}{}: {} is never reached: the run ends at {}",
                                            where(findings.origins, path), path, least, most));
  };
  if (trainer.min_epochs && trainer.max_epochs >= 0 && *trainer.min_epochs > trainer.max_epochs) {
    warn("trainer.min_epochs", *trainer.min_epochs, trainer.max_epochs);
  }
  if (trainer.min_steps && trainer.max_steps && *trainer.min_steps > *trainer.max_steps) {
    warn("trainer.min_steps", *trainer.min_steps, *trainer.max_steps);
  }
}

}  // namespace

bool accumulates(const TrainerSpec& trainer) {
  return std::ranges::any_of(trainer.accumulate_grad_batches,
                             [](const auto& entry) { return entry.second > 1; });
}

void take_up_accumulation(RunSpec& spec, Findings& findings) {
  constexpr const char* kSetting = "trainer.accumulate_grad_batches";
  for (std::size_t i = 0; i < spec.callbacks.size(); ++i) {
    const auto* scheduler = std::get_if<AccumulationSchedulerSpec>(&spec.callbacks[i]);
    if (scheduler == nullptr) continue;
    const auto at = findings.origins.find(kSetting);
    if (at != findings.origins.end() && spec.trainer.accumulate_grad_batches != scheduler->scheduling) {
      findings.report(
          at->second, kSetting,
          fmt::format("given, and a gradient_accumulation_scheduler (callbacks.{}) too: leave one of "
                      "them out",
                      i));
    }
    spec.trainer.accumulate_grad_batches = scheduler->scheduling;
    return;
  }
}

void check_together(const RunSpec& spec, Findings& all) {
  const std::size_t single = all.problems.size();
  Together findings{std::move(all), single};
  check_nesterov(spec, findings);
  check_lbfgs(spec, findings);
  check_nonfinite(spec, findings);
  check_validation(spec, findings);
  check_callbacks(spec, [&](const std::vector<std::string>& paths, const std::string& why) {
    refuse(paths, why, findings);
  });
  check_loggers(spec, findings);
  warn_of_minima(spec.trainer, findings);
  constexpr const char* kOneBatch = "one batch, not 100% (1.0 is all)";
  warn_of_one_batch("trainer.limit_train_batches", spec.trainer.limit_train_batches, kOneBatch, findings);
  warn_of_one_batch("trainer.limit_val_batches", spec.trainer.limit_val_batches, kOneBatch, findings);
  warn_of_one_batch("trainer.limit_test_batches", spec.trainer.limit_test_batches, kOneBatch, findings);
  warn_of_one_batch("trainer.limit_predict_batches", spec.trainer.limit_predict_batches, kOneBatch, findings);
  warn_of_one_batch("trainer.val_check_interval", spec.trainer.val_check_interval,
                    "after every batch (1.0 is once an epoch)", findings);
  all = std::move(findings);
}

}  // namespace lightrun::config
