#include "plugin/demangle.hpp"

#include <lightrun/callback.hpp>
#include <lightrun/error.hpp>
#include <lightrun/module.hpp>

#include <algorithm>
#include <typeinfo>

namespace lightrun {
namespace {

constexpr int64_t kTimeDimension = 1;

/// Time steps of a field: dimension 1 of a tensor, dimension 0 of the tensors of a list; nothing where it has
/// none.
std::optional<int64_t> time_steps(const Batch::Field& field) {
  if (const auto* tensor = std::get_if<torch::Tensor>(&field)) {
    return tensor->dim() > kTimeDimension ? std::optional(tensor->size(kTimeDimension)) : std::nullopt;
  }
  const auto& list = std::get<std::vector<torch::Tensor>>(field);
  return list.empty() || list.front().dim() == 0 ? std::nullopt : std::optional(list.front().size(0));
}

Batch::Field time_slice(const Batch::Field& field, int64_t begin, int64_t length) {
  if (!time_steps(field)) return field;
  if (const auto* tensor = std::get_if<torch::Tensor>(&field))
    return tensor->narrow(kTimeDimension, begin, length);
  std::vector<torch::Tensor> slices;
  for (const auto& tensor : std::get<std::vector<torch::Tensor>>(field)) {
    slices.push_back(tensor.narrow(0, begin, length));
  }
  return slices;
}

/// The one length of all fields that have a time dimension.
int64_t common_time_steps(const Batch& batch) {
  std::string first_name;
  std::optional<int64_t> steps;
  for (const auto& [name, field] : batch.fields()) {
    const auto here = time_steps(field);
    if (!here) continue;
    if (steps && *steps != *here) {
      throw RunError("truncated_bptt_steps: field '" + first_name + "' has " + std::to_string(*steps) +
                     " time steps, field '" + name + "' " + std::to_string(*here) +
                     "; override tbptt_split_batch to split them your way");
    }
    if (!steps) first_name = name;
    steps = here;
  }
  if (!steps) throw RunError("truncated_bptt_steps: no field of the batch has a time dimension [N, T, ...]");
  return *steps;
}

}  // namespace

Callback::~Callback() = default;

std::string Callback::state_key() const {
  const std::string name = plugin::demangled(typeid(*this).name());
  return name.substr(name.rfind(':') + 1);
}

void StateDict::throw_missing(std::string_view name) const {
  throw RunError(contains(name) ? "the saved '" + std::string(name) + "' is of another type"
                                : "there is no saved '" + std::string(name) + "'");
}

MetricSink::~MetricSink() = default;
Module::~Module() = default;

StepResult Module::training_step_end(StepResult result, const StepInfo& /*info*/) {
  return result;
}
void Module::validation_step(const Batch& /*batch*/, const StepInfo& /*info*/) {}
void Module::test_step(const Batch& /*batch*/, const StepInfo& /*info*/) {}
Batch Module::predict_step(const Batch& /*batch*/, const StepInfo& /*info*/) {
  throw RunError("the model does not override predict_step()");
}
DataLoader Module::train_dataloader() {
  return {};
}
DataLoader Module::test_dataloader() {
  return {};
}
DataLoader Module::predict_dataloader() {
  return test_dataloader();
}
DataLoader Module::val_dataloader() {
  return {};
}
Optimizers Module::configure_optimizers() {
  return {};
}
void Module::backward(const torch::Tensor& loss, const StepInfo& /*info*/) {
  loss.backward();
}

void Module::optimizer_step(torch::optim::Optimizer& optimizer,
                            const torch::optim::Optimizer::LossClosure& closure, const StepInfo& /*info*/) {
  optimizer.step(closure);
}

void Module::optimizer_zero_grad(torch::optim::Optimizer& optimizer, const StepInfo& /*info*/) {
  optimizer.zero_grad();
}

std::vector<Batch> Module::tbptt_split_batch(const Batch& batch, int64_t split_size) {
  const int64_t steps = common_time_steps(batch);
  std::vector<Batch> splits;
  for (int64_t begin = 0; begin < steps; begin += split_size) {
    Batch split;
    for (const auto& [name, field] : batch.fields()) {
      split.set(name, time_slice(field, begin, std::min(split_size, steps - begin)));
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

void Module::log(std::string_view name, const torch::Tensor& value, const LogOptions& options) {
  if (sink_) sink_->log(name, value, options);
}

void Module::log(std::string_view name, double value, const LogOptions& options) {
  if (sink_) sink_->log(name, value, options);
}

}  // namespace lightrun
