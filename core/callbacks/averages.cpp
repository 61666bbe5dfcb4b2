#include "callbacks/averages.hpp"

#include <lightrun/error.hpp>

#include <ATen/core/grad_mode.h>

#include <string_view>

namespace lightrun::callbacks {
namespace {

constexpr std::string_view kPrefix = "average.";

/// Calls `use` with each pair of a kept tensor and the module's of that name; a module of another kind is an
/// error.
template <typename Kept, typename Use>
void for_each_pair(Kept& kept, const torch::nn::Module& module, Use&& use) {
  const NamedTensors tensors = tensors_of(module);
  if (tensors.size() != kept.size()) throw RunError("the averaged weights are of another model");
  for (std::size_t i = 0; i < kept.size(); ++i) use(kept[i].second, tensors[i].second);
}

void copy_into(const NamedTensors& from, torch::nn::Module& module) {
  const at::NoGradGuard no_grad;
  for_each_pair(from, module, [](const torch::Tensor& kept, torch::Tensor tensor) { tensor.copy_(kept); });
}

}  // namespace

NamedTensors tensors_of(const torch::nn::Module& module) {
  NamedTensors tensors;
  for (const auto& item : module.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

void Averages::begin(const torch::nn::Module& module) {
  tensors_.clear();
  for (const auto& [name, tensor] : tensors_of(module)) tensors_.emplace_back(name, tensor.detach().clone());
}

void Averages::move(const torch::nn::Module& module, double share) {
  const at::NoGradGuard no_grad;
  for_each_pair(tensors_, module, [share](torch::Tensor& average, const torch::Tensor& latest) {
    average = average.to(latest.device());
    const bool is_shared = average.use_count() > 1;  // with the state of a checkpoint
    if (is_shared) average = average.clone();
    if (average.is_floating_point())
      average.lerp_(latest, share);
    else
      average.copy_(latest);
  });
}

void Averages::put_into(torch::nn::Module& module) const {
  copy_into(tensors_, module);
}

void Averages::save(StateDict& state) const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) {
    names.push_back(name);
    state.set(std::string(kPrefix) + name, tensor);
  }
  state.set("averaged", std::move(names));
}

void Averages::load(const StateDict& state) {
  tensors_.clear();
  for (const std::string& name : state.get<std::vector<std::string>>("averaged"))
    tensors_.emplace_back(name, state.get<torch::Tensor>(std::string(kPrefix) + name));
}

void AverageInPlace::put(const Averages& averages, torch::nn::Module& module) {
  own_.clear();
  for (const auto& [name, tensor] : tensors_of(module)) own_.emplace_back(name, tensor.detach().clone());
  averages.put_into(module);
}

void AverageInPlace::give_back(torch::nn::Module& module) {
  copy_into(std::exchange(own_, {}), module);
}

}  // namespace lightrun::callbacks
