#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::sources {

/// Whether its name ends in .png, .jpg, .jpeg, .jpe or .jfif, in capitals or not.
[[nodiscard]] bool is_image_name(const std::string& path);

/// A PNG (libpng) or JPEG (libjpeg-turbo) file, whatever it is called, as bytes [C, H, W], as stored:
/// no gamma, 16 bits as 8, transparency dropped (as PIL's convert('RGB') does). Colours become grey (0.299 R
/// + 0.587 G + 0.114 B) and grey becomes colours as `channels`, 1 or 3, wants. Throws RunError naming the
/// path.
[[nodiscard]] torch::Tensor read_image(const std::string& path, int64_t channels);

/// Writes `image`, bytes [C, H, W] with 1 or 3 channels, as a PNG file. Throws RunError naming the path.
void write_png(const std::string& path, const torch::Tensor& image);

/// float32 [C, H, W] from 0 to 1, of that height and width, by antialiased bilinear interpolation.
[[nodiscard]] torch::Tensor resized(const torch::Tensor& bytes, const std::vector<int64_t>& size);

}  // namespace lightrun::sources
