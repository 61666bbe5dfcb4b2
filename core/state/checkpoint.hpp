#pragma once

#include "state/run_state.hpp"

#include <torch/nn/module.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace lightrun::state {

/// Writes one checkpoint: the model's parameters and buffers by name in a safetensors file, the RunState and
/// the resolved config as text in its metadata. Written aside, synced, renamed: the file that was there stays
/// valid until then. Throws RunError naming the path.
/// @param cut which instant it is of: "after_batch" or "after_epoch"
void write_checkpoint(const std::filesystem::path& path, const torch::nn::Module& model,
                      const RunState& state, const std::string& resolved_config, std::string_view cut);

/// Puts the weights and buffers of a checkpoint (any safetensors file) into `model`, wherever the model's
/// are. Throws RunError, and has changed nothing, where the file cannot be read, or where a name, shape or
/// dtype differs from the model's: every difference is listed.
void load_weights(const std::filesystem::path& path, torch::nn::Module& model);

}  // namespace lightrun::state
