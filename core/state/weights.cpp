#include "state/weights.hpp"

#include "state/checkpoint.hpp"
#include "state/python_weights.hpp"
#include "state/safetensors.hpp"

#include <lightrun/error.hpp>

#include <ATen/core/grad_mode.h>

#include <set>

namespace lightrun::state {
namespace {

using WeightsByName = std::map<std::string, torch::Tensor>;

WeightsByName by_name(const NamedTensors& tensors) {
  return {tensors.begin(), tensors.end()};
}

std::string kind_of(const torch::Tensor& tensor) {
  return c10::str(tensor.sizes(), " ", toString(tensor.scalar_type()));
}

/// One line a difference, "" without any.
std::string differences(const WeightsByName& in_file, const WeightsByName& in_model) {
  std::string text;
  for (const auto& [name, tensor] : in_model) {
    const auto found = in_file.find(name);
    if (found == in_file.end()) {
      text += "\n  " + name + ": not in the file, " + kind_of(tensor) + " in the model";
    } else if (found->second.sizes() != tensor.sizes() ||
               found->second.scalar_type() != tensor.scalar_type()) {
      text += "\n  " + name + ": " + kind_of(found->second) + " in the file, " + kind_of(tensor) +
              " in the model";
    }
  }
  for (const auto& [name, tensor] : in_file) {
    if (!in_model.contains(name))
      text += "\n  " + name + ": " + kind_of(tensor) + " in the file, not in the model";
  }
  return text;
}

}  // namespace

NamedTensors weights_of(const torch::nn::Module& model) {
  NamedTensors weights;
  for (const auto& item : model.named_parameters()) weights.emplace_back(item.key(), item.value());
  for (const auto& item : model.named_buffers()) weights.emplace_back(item.key(), item.value());
  return weights;
}

int64_t parameter_count(const torch::nn::Module& model) {
  std::set<const void*> seen;
  int64_t count = 0;
  for (const torch::Tensor& parameter : model.parameters())
    if (seen.insert(parameter.unsafeGetTensorImpl()).second) count += parameter.numel();
  return count;
}

WeightsByName read_weights(const std::filesystem::path& path) {
  if (is_zip_file(path) || is_old_python_file(path)) return read_python_state_dict(path);
  SafetensorsFile file = read_safetensors(path);
  if (!file.metadata.contains("lightrun.format")) return std::move(file.tensors);
  return by_name(weights_in_checkpoint(path, file));
}

void check_weights_fit(const std::filesystem::path& path, const WeightsByName& weights,
                       const torch::nn::Module& model) {
  const std::string text = differences(weights, by_name(weights_of(model)));
  if (!text.empty()) throw RunError(path.string() + ": these are not this model's weights:" + text);
}

void set_weights(const WeightsByName& weights, torch::nn::Module& model) {
  const at::NoGradGuard no_grad;
  for (auto& [name, tensor] : weights_of(model)) tensor.copy_(weights.at(name));
}

void load_weights(const std::filesystem::path& path, torch::nn::Module& model) {
  const WeightsByName weights = read_weights(path);
  check_weights_fit(path, weights, model);
  set_weights(weights, model);
}

}  // namespace lightrun::state
