#include "engine/forward_precision.hpp"

#include "optim/torch_drift.hpp"

namespace lightrun::engine {
namespace {

torch::Tensor as_double(const torch::Tensor& tensor) {
  return tensor.is_floating_point() ? tensor.to(torch::kFloat64) : tensor;
}

Batch as_double(const Batch& batch) {
  Batch result;
  for (const auto& [name, field] : batch.fields()) {
    if (const auto* tensor = std::get_if<torch::Tensor>(&field)) {
      result.set(name, as_double(*tensor));
      continue;
    }
    std::vector<torch::Tensor> list;
    for (const auto& tensor : std::get<std::vector<torch::Tensor>>(field)) list.push_back(as_double(tensor));
    result.set(name, std::move(list));
  }
  return result;
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
  return run.spec.trainer.precision == config::Precision::float64 ? as_double(moved) : moved;
}

}  // namespace lightrun::engine
