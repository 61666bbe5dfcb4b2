#pragma once

#include <lightrun/data.hpp>

#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

/// Arrays in files, as tensors that stay on the disk until they are read.
namespace lightrun::sources {

/// The array in a .npy file (numpy.lib.format, versions 1 to 3), mapped. Throws RunError naming the path: no
/// such file, no .npy file, objects, structures or big-endian numbers in it, another length than it says.
[[nodiscard]] torch::Tensor read_npy(const std::string& path);

/// The array of bytes in an idx file (of MNIST), mapped, or in memory where it is compressed by gzip. Throws
/// RunError naming the path.
/// @param dimensions how many it must have
[[nodiscard]] torch::Tensor read_idx(const std::string& path, int64_t dimensions);

/// Images as bytes [N, C, H, W], and their classes [N] (not defined: none). Batches have `image`, of float32
/// from 0 to 1, and `label`, of int64.
class ByteImages : public Dataset {
 public:
  /// @param labels names of the classes, or empty
  ByteImages(torch::Tensor images, torch::Tensor classes, int64_t class_count,
             std::vector<std::string> labels = {});

  [[nodiscard]] int64_t size() const override;
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override;
  [[nodiscard]] bool is_concurrent() const override { return true; }
  [[nodiscard]] DataInfo describe() override;

 private:
  torch::Tensor images_;
  torch::Tensor classes_;
  int64_t class_count_;
  std::vector<std::string> labels_;
};

}  // namespace lightrun::sources
