#include "engine/forward_precision.hpp"

#include "data/each_tensor.hpp"
#include "optim/torch_drift.hpp"

namespace lightrun::engine {
namespace {

torch::Tensor as_double(const torch::Tensor& tensor) {
  return tensor.is_floating_point() ? tensor.to(torch::kFloat64) : tensor;
}

}  // namespace

ForwardPrecision::ForwardPrecision(const Run& run)
    : autocasts_(run.spec.trainer.precision == config::Precision::bfloat16), on_cuda_(run.device.is_cuda()) {
  if (autocasts_) drift::start_autocast(on_cuda_, torch::kBFloat16);
}

ForwardPrecision::~ForwardPrecision() {
  if (autocasts_) drift::end_autocast(on_cuda_);
}

Batch on_device(const Run& run, const Batch& batch) {
  Batch moved = batch.to(run.device);
  return run.spec.trainer.precision == config::Precision::float64 ? data::with_each_tensor(moved, as_double)
                                                                  : moved;
}

}  // namespace lightrun::engine
