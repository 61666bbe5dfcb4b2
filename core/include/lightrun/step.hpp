#pragma once

#include <lightrun/export.hpp>

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace lightrun {

/// Where in the run a step is. All counts are from 0.
struct StepInfo {
  int64_t epoch = 0;
  int64_t batch_idx = 0;      ///< within the epoch; in a validation step, within the validation
  int64_t global_step = 0;    ///< optimizer windows completed
  int64_t optimizer_idx = 0;  ///< which of configure_optimizers() this step is for
  int64_t split_idx = 0;      ///< which part of the batch, under truncated_bptt_steps
  /// What the previous split's StepResult carried, detached: a tensor, or any nesting of tuples, lists and
  /// dictionaries of tensors. None at the first split of a batch.
  c10::IValue hiddens = {};
};

/// What training_step answers.
struct StepResult {
  /// Skips this batch: no backward, and it does not count in its accumulation window.
  StepResult() = default;
  // Implicit on purpose: a step ends in `return loss;`.
  StepResult(torch::Tensor loss_) : loss(std::move(loss_)) {}
  StepResult(torch::Tensor loss_, c10::IValue hiddens_)
      : loss(std::move(loss_)), hiddens(std::move(hiddens_)) {}

  [[nodiscard]] bool is_skip() const { return !loss.defined(); }

  torch::Tensor loss;   ///< one value that requires grad; undefined: skip
  c10::IValue hiddens;  ///< handed to the next split of the batch, detached by the engine
  /// What this loss is the mean of: samples or tokens. The gradient of an accumulation window is then the
  /// mean over all of them, whatever each batch holds. Default: every batch counts the same. Positive; all
  /// batches of a window give one, or none does.
  std::optional<double> weight = {};
};

}  // namespace lightrun
