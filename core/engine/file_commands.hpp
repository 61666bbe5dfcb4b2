#pragma once

#include <lightrun/export.hpp>

#include <string>

namespace lightrun::engine {

/// What `lightrun inspect` and `lightrun export` ask of the engine's library.
struct FileRequest {
  std::string file;
  std::string to = {};  ///< of `export`: the file to write
};

inline constexpr const char* kInspectSymbol = "lightrun_inspect";
inline constexpr const char* kExportSymbol = "lightrun_export";
using FileFunction = int(const FileRequest&);

}  // namespace lightrun::engine

/// Prints what is in a file of weights: of a checkpoint where the run was, its metrics, optimizers and
/// environment; of any the tensors, and whether a checksum holds. Throws RunError where the file is damaged.
extern "C" LIGHTRUN_API int lightrun_inspect(const lightrun::engine::FileRequest& request);

/// Writes the weights of a file alone: to `.safetensors`, or to `.pt` for Python's torch.load. Throws
/// UsageError for another ending, RunError where it cannot be done.
extern "C" LIGHTRUN_API int lightrun_export(const lightrun::engine::FileRequest& request);
