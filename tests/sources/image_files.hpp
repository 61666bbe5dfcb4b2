#pragma once

#include "sources/image_file.hpp"

#include <png.h>
#include <torch/types.h>
#include <turbojpeg.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lightrun::tests {

/// An image of one colour, bytes [C, height, width].
inline torch::Tensor plain_image(const std::vector<int64_t>& colour, int64_t height, int64_t width) {
  const auto pixel = torch::tensor(colour, torch::kUInt8).view({-1, 1, 1});
  return pixel.expand({pixel.size(0), height, width}).contiguous();
}

/// A PNG of one colour; its folder is made.
inline void write_plain_png(const std::filesystem::path& path, const std::vector<int64_t>& colour,
                            int64_t height, int64_t width) {
  std::filesystem::create_directories(path.parent_path());
  sources::write_png(path.string(), plain_image(colour, height, width));
}

/// The same as a JPEG.
inline void write_plain_jpeg(const std::filesystem::path& path, const std::vector<int64_t>& colour,
                             int64_t height, int64_t width) {
  std::filesystem::create_directories(path.parent_path());
  const auto pixels = plain_image(colour, height, width).permute({1, 2, 0}).contiguous();
  const bool is_grey = colour.size() == 1;
  const tjhandle encoder = tjInitCompress();
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int failed =
      tjCompress2(encoder, pixels.data_ptr<uint8_t>(), static_cast<int>(width), 0, static_cast<int>(height),
                  is_grey ? TJPF_GRAY : TJPF_RGB, &bytes, &size, is_grey ? TJSAMP_GRAY : TJSAMP_444, 95, 0);
  if (failed == 0) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }
  tjFree(bytes);
  tjDestroy(encoder);
  if (failed != 0) throw std::runtime_error("cannot write " + path.string());
}

/// A PNG of one row of two pixels, of any colour type and depth.
inline void write_raw_png(const std::filesystem::path& path, int colour_type, int depth,
                          const std::vector<uint8_t>& row) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + path.string());
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, 2, 1, depth, colour_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_row(png, row.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

}  // namespace lightrun::tests
