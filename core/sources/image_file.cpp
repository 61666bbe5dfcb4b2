#include "sources/image_file.hpp"

#include "sources/mapped_file.hpp"

#include <lightrun/error.hpp>

#include <ATen/ATen.h>
#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace lightrun::sources {
namespace {

/// Larger ones are taken for damage: 2^28 pixels are 768 MB.
constexpr uint64_t kMostPixels = uint64_t{1} << 28;

void check_size(const std::string& path, uint64_t width, uint64_t height) {
  if (width * height > kMostPixels)
    throw RunError(path + ": is of " + std::to_string(width) + " x " + std::to_string(height) +
                   " pixels, too many");
}

/// [H, W, C] -> [C, H, W].
torch::Tensor channels_first(const torch::Tensor& image) {
  return image.permute({2, 0, 1}).contiguous();
}

torch::Tensor decode_png(const std::string& path, std::span<const uint8_t> bytes, int64_t channels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_imagep)> release(&image, png_image_free);
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    throw RunError(path + ": is no readable PNG: " + static_cast<const char*>(image.message));
  check_size(path, image.width, image.height);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  auto pixels = torch::empty({image.height, image.width, channels}, torch::kUInt8);
  const png_color black{};
  if (png_image_finish_read(&image, &black, pixels.data_ptr<uint8_t>(), 0, nullptr) == 0)
    throw RunError(path + ": is no readable PNG: " + static_cast<const char*>(image.message));
  return channels_first(pixels);
}

torch::Tensor decode_jpeg(const std::string& path, std::span<const uint8_t> bytes, int64_t channels) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  const auto fail = [&] { throw RunError(path + ": is no readable JPEG: " + tjGetErrorStr2(decoder.get())); };
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(decoder.get(), bytes.data(), bytes.size(), &width, &height, &subsampling,
                          &colours) != 0)
    fail();
  check_size(path, static_cast<uint64_t>(width), static_cast<uint64_t>(height));
  auto pixels = torch::empty({height, width, channels}, torch::kUInt8);
  const int format = channels == 1 ? TJPF_GRAY : TJPF_RGB;
  if (tjDecompress2(decoder.get(), bytes.data(), bytes.size(), pixels.data_ptr<uint8_t>(), width, 0, height,
                    format, TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING) != 0)
    fail();
  return channels_first(pixels);
}

}  // namespace

bool is_image_name(const std::string& path) {
  constexpr auto kEndings = std::to_array<std::string_view>({".png", ".jpg", ".jpeg"});
  std::string lower = path;
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return lower.ends_with(ending); });
}

torch::Tensor read_image(const std::string& path, int64_t channels) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (bytes.size() > 8 && png_sig_cmp(bytes.data(), 0, 8) == 0) return decode_png(path, bytes, channels);
  if (bytes.size() > 2 && bytes[0] == 0xff && bytes[1] == 0xd8) return decode_jpeg(path, bytes, channels);
  throw RunError(path + ": is neither PNG nor JPEG");
}

void write_png(const std::string& path, const torch::Tensor& image) {
  const auto pixels = image.permute({1, 2, 0}).contiguous();
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.height = static_cast<png_uint_32>(pixels.size(0));
  png.width = static_cast<png_uint_32>(pixels.size(1));
  png.format = pixels.size(2) == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  if (png_image_write_to_file(&png, path.c_str(), 0, pixels.data_ptr<uint8_t>(), 0, nullptr) == 0)
    throw RunError("cannot write " + path + ": " + static_cast<const char*>(png.message));
}

torch::Tensor resized(const torch::Tensor& bytes, const std::vector<int64_t>& size) {
  auto image = bytes.to(torch::kFloat32).div_(255);
  if (image.size(1) == size[0] && image.size(2) == size[1]) return image;
  return at::_upsample_bilinear2d_aa(image.unsqueeze(0), size, /*align_corners=*/false)
      .squeeze(0)
      .clamp_(0, 1);
}

}  // namespace lightrun::sources
