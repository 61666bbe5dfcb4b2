#pragma once

#include "optim/gradients.hpp"

#include <torch/nn/module.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace lightrun::state {

/// The model's parameters, then its buffers, with their names in it. A tensor that it holds under two names
/// is there twice.
[[nodiscard]] optim::NamedTensors weights_of(const torch::nn::Module& model);

/// Numbers in the model's parameters; one that it holds under several names counts once.
[[nodiscard]] int64_t parameter_count(const torch::nn::Module& model);

/// The weights in a file, by name: a checkpoint, any safetensors file, or what Python's torch.save writes of
/// a state dict. Throws RunError naming the path.
[[nodiscard]] std::map<std::string, torch::Tensor> read_weights(const std::filesystem::path& path);

/// Throws RunError where a name, shape or dtype differs from the model's: every difference is listed
/// (see misfit.hpp).
/// @param path names the file in the message
void check_weights_fit(const std::filesystem::path& path, const std::map<std::string, torch::Tensor>& weights,
                       const torch::nn::Module& model);

/// Puts weights that fit into the model, wherever the model's are.
void set_weights(const std::map<std::string, torch::Tensor>& weights, torch::nn::Module& model);

/// The three together: nothing has changed where it throws.
/// @param strip_prefix left out where names in the file begin with it, as some do; "": none
void load_weights(const std::filesystem::path& path, torch::nn::Module& model,
                  const std::string& strip_prefix = "");

}  // namespace lightrun::state
