#include "sources/image_file.hpp"

#include "sources/mapped_file.hpp"
#include "sources/png_file.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <ATen/ATen.h>
#include <png.h>
#include <spdlog/fmt/fmt.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string_view>

namespace lightrun::sources {
namespace {

/// Larger ones are taken for damage: 2^28 pixels are 768 MB.
constexpr uint64_t kMostPixels = uint64_t{1} << 28;

void check_size(const std::string& path, uint64_t width, uint64_t height) {
  if (width * height > kMostPixels)
    throw RunError(fmt::format("{}: is of {} x {} pixels, too many", path, width, height));
}

/// Bytes [H, W, 1 or 3] -> [channels, H, W]. Grey is ITU-R BT.601's luma, in the integers of PIL's
/// convert('L'), as a JPEG stores it.
torch::Tensor with_channels(const torch::Tensor& image, int64_t channels) {
  const auto first = image.permute({2, 0, 1});
  if (first.size(0) == channels) return first.contiguous();
  if (channels == 3) return first.expand({3, first.size(1), first.size(2)}).contiguous();
  const auto pixels = image.contiguous();
  auto grey = torch::empty({1, image.size(0), image.size(1)}, torch::kUInt8);
  const auto* from = pixels.data_ptr<uint8_t>();
  auto* to = grey.data_ptr<uint8_t>();
  for (int64_t i = 0; i < grey.numel(); ++i, from += 3) {
    const uint32_t luma = 19595U * from[0] + 38470U * from[1] + 7471U * from[2] + 0x8000U;
    to[i] = static_cast<uint8_t>(luma >> 16);
  }
  return grey;
}

torch::Tensor decode_jpeg(const std::string& path, std::span<const uint8_t> bytes, int64_t channels) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  const auto fail = [&] { throw RunError(path + ": is no readable JPEG: " + tjGetErrorStr2(decoder.get())); };
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(decoder.get(), bytes.data(), bytes.size(), &width, &height, &subsampling,
                          &colours) != 0)
    fail();
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    throw RunError(path + ": is a JPEG in CMYK, the colours of print; save it as RGB");
  check_size(path, static_cast<uint64_t>(width), static_cast<uint64_t>(height));
  auto pixels = torch::empty({height, width, channels}, torch::kUInt8);
  const int format = channels == 1 ? TJPF_GRAY : TJPF_RGB;
  if (tjDecompress2(decoder.get(), bytes.data(), bytes.size(), pixels.data_ptr<uint8_t>(), width, 0, height,
                    format, TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING) != 0)
    fail();
  return with_channels(pixels, channels);
}

}  // namespace

bool is_image_name(const std::string& path) {
  constexpr auto kEndings = std::to_array<std::string_view>({".png", ".jpg", ".jpeg", ".jpe", ".jfif"});
  const std::string lower = support::lower_case(path);
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return lower.ends_with(ending); });
}

torch::Tensor read_image(const std::string& path, int64_t channels) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (is_png(bytes)) return with_channels(decode_png(path, bytes, check_size), channels);
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
