#include "state/weights.hpp"

#include "state/checkpoint.hpp"
#include "state/misfit.hpp"
#include "state/python_weights.hpp"
#include "state/safetensors.hpp"

#include <lightrun/error.hpp>

#include <ATen/core/grad_mode.h>

#include <set>
#include <utility>

namespace lightrun::state {
namespace {

using WeightsByName = std::map<std::string, torch::Tensor>;

WeightsByName by_name(const NamedTensors& tensors) {
  return {tensors.begin(), tensors.end()};
}

/// Takes the prefix from the names that have it.
WeightsByName without_prefix(const std::filesystem::path& path, WeightsByName weights,
                             const std::string& prefix) {
  WeightsByName renamed;
  bool is_there = false;
  for (auto& [name, tensor] : weights) {
    const bool has_it = name.starts_with(prefix);
    is_there = is_there || has_it;
    if (!renamed.emplace(has_it ? name.substr(prefix.size()) : name, tensor).second)
      throw RunError(path.string() + ": without '" + prefix + "' two tensors would be called " +
                     name.substr(has_it ? prefix.size() : 0));
  }
  if (!is_there) throw RunError(path.string() + ": --strip-prefix: no name begins with '" + prefix + "'");
  return renamed;
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
  const std::string text = misfit(weights, by_name(weights_of(model)));
  if (!text.empty()) throw RunError(path.string() + ": these are not this model's weights:" + text);
}

void set_weights(const WeightsByName& weights, torch::nn::Module& model) {
  const at::NoGradGuard no_grad;
  for (auto& [name, tensor] : weights_of(model)) tensor.copy_(weights.at(name));
}

void load_weights(const std::filesystem::path& path, torch::nn::Module& model,
                  const std::string& strip_prefix) {
  WeightsByName weights = read_weights(path);
  if (!strip_prefix.empty()) weights = without_prefix(path, std::move(weights), strip_prefix);
  check_weights_fit(path, weights, model);
  set_weights(weights, model);
}

}  // namespace lightrun::state
