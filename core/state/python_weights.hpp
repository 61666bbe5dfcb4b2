#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::state {

/// Whether the file begins as a zip archive, as torch.save's do since PyTorch 1.6 and no safetensors file
/// does. False where it cannot be read.
[[nodiscard]] bool is_zip_file(const std::filesystem::path& path);

/// The same for torch.save's format of before 1.6: read_python_state_dict refuses it with advice.
[[nodiscard]] bool is_old_python_file(const std::filesystem::path& path);

/// Writes named tensors, in order, as Python's `torch.save(model.state_dict(), path)` does: torch.load gives
/// an OrderedDict, also with weights_only=True. Written aside, synced, renamed. Throws RunError for two
/// tensors of one name and for one that Python's plain tensors do not know (sparse, quantized).
void write_python_state_dict(const std::filesystem::path& path,
                             const std::vector<std::pair<std::string, torch::Tensor>>& tensors);

/// Reads what Python's torch.save (PyTorch 1.6 or later) made of `model.state_dict()`, of a dict of tensors,
/// or of a dict that has such a one as "state_dict" (Lightning's .ckpt), "model_state_dict" or "model";
/// whatever else that has is left out. Nothing in the file is executed and nothing it says is trusted.
/// Tensors are on the CPU, contiguous, and share no data. Throws RunError naming the path and what is wrong
/// with it, and for files that hold something else what to do: a TorchScript program, a whole model, ...
[[nodiscard]] std::map<std::string, torch::Tensor> read_python_state_dict(const std::filesystem::path& path);

}  // namespace lightrun::state
