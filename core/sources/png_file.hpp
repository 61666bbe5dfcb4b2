#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <string>

namespace lightrun::sources {

[[nodiscard]] bool is_png(std::span<const uint8_t> bytes);

/// The stored values of a PNG file, bytes [H, W, C], C = 1 of a grey image, else 3, whatever its gamma chunk
/// says: 16 bits become 8 (v / 65535 * 255, rounded), palettes become colours, transparency is dropped.
/// Throws RunError naming the path.
/// @param check_size called with (width, height) before memory is taken; may throw
[[nodiscard]] torch::Tensor decode_png(const std::string& path, std::span<const uint8_t> bytes,
                                       void (*check_size)(const std::string& path, uint64_t width,
                                                          uint64_t height));

}  // namespace lightrun::sources
