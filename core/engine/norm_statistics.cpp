#include "engine/norm_statistics.hpp"

#include "engine/forward_precision.hpp"
#include "engine/generators.hpp"

#include <ATen/core/grad_mode.h>
#include <torch/nn/modules/batchnorm.h>

#include <functional>

namespace lightrun::engine {
namespace {

/// A batch norm's momentum, whatever its number of dimensions.
using Momentum = torch::optional<double>;

template <typename Norm>
bool begin_anew(torch::nn::Module& module, std::vector<std::function<void()>>& put_back) {
  auto* norm = dynamic_cast<Norm*>(&module);
  if (norm == nullptr || !norm->is_training() || !norm->options.track_running_stats()) return false;
  const Momentum momentum = norm->options.momentum();
  put_back.emplace_back([norm, momentum] { norm->options.momentum(momentum); });
  norm->options.momentum(Momentum());  // the mean over all batches
  norm->reset_running_stats();
  return true;
}

class NoMetrics {
 public:
  explicit NoMetrics(Run& run) : run_(run) { run_.model->set_metric_sink(nullptr); }
  ~NoMetrics() { run_.model->set_metric_sink(&run_.metrics); }
  NoMetrics(const NoMetrics&) = delete;
  NoMetrics& operator=(const NoMetrics&) = delete;

 private:
  Run& run_;
};

/// False: a signal came before the end.
bool pass_over_training_data(Run& run) {
  const SameRandomNumbers same_random_numbers(run.device);
  const at::NoGradGuard no_grad;
  const NoMetrics no_metrics(run);
  StepInfo info{.epoch = run.state.epoch, .global_step = run.state.global_step};
  run.train_loader->start_epoch(run.state.epoch, run.plan.train_batches);
  for (; !run.interrupted(); ++info.batch_idx) {
    const auto batch = run.train_loader->next();
    if (!batch) return true;
    if (batch->empty()) continue;
    const Batch here = on_device(run, *batch);
    const ForwardPrecision precision(run);
    for (std::size_t i = 0; i < run.optimizers.size(); ++i) {
      info.optimizer_idx = static_cast<int64_t>(i);
      static_cast<void>(run.model->training_step(here, info));
    }
  }
  return false;
}

}  // namespace

bool recompute_norm_statistics(Run& run) {
  std::vector<std::function<void()>> put_back;
  for (const auto& module : run.model->modules()) {
    static_cast<void>(begin_anew<torch::nn::BatchNorm1dImpl>(*module, put_back) ||
                      begin_anew<torch::nn::BatchNorm2dImpl>(*module, put_back) ||
                      begin_anew<torch::nn::BatchNorm3dImpl>(*module, put_back));
  }
  if (put_back.empty()) return true;
  const support::Wait wait(run.screen, "statistics of the averaged weights");
  const bool is_whole = pass_over_training_data(run);
  for (const auto& each : put_back) each();
  return is_whole;
}

}  // namespace lightrun::engine
