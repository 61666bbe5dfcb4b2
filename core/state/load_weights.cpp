#include "state/checkpoint.hpp"
#include "state/safetensors.hpp"

#include <lightrun/error.hpp>

#include <ATen/core/grad_mode.h>

namespace lightrun::state {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;

Tensors tensors_of(const torch::nn::Module& model) {
  Tensors tensors;
  for (const auto& item : model.named_parameters()) tensors.emplace(item.key(), item.value());
  for (const auto& item : model.named_buffers()) tensors.emplace(item.key(), item.value());
  return tensors;
}

std::string kind_of(const torch::Tensor& tensor) {
  return c10::str(tensor.sizes(), " ", toString(tensor.scalar_type()));
}

/// One line a difference, "" without any.
std::string differences(const Tensors& in_file, const Tensors& in_model) {
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

void load_weights(const std::filesystem::path& path, torch::nn::Module& model) {
  const SafetensorsFile file = read_safetensors(path);
  const Tensors in_model = tensors_of(model);
  const std::string text = differences(file.tensors, in_model);
  if (!text.empty()) throw RunError(path.string() + ": these are not this model's weights:" + text);
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : in_model) tensor.copy_(file.tensors.at(name));
}

}  // namespace lightrun::state
