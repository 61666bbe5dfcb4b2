#include "sources/png_file.hpp"

#include <lightrun/error.hpp>

#include <png.h>

#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <vector>

namespace lightrun::sources {
namespace {

/// libpng, reading from memory. Its faults leave by longjmp, through functions that own nothing.
class PngReader {
 public:
  explicit PngReader(std::span<const uint8_t> bytes)
      : bytes_(bytes), png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning)) {
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// Up to the pixels. False where it is damaged: then fault() says why.
  [[nodiscard]] bool read_header() {
    if (png_ == nullptr || info_ == nullptr) return false;
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_read_fn(png_, this, on_read);
    png_read_info(png_, info_);
    return true;
  }

  /// Asks for bytes of grey or of red, green and blue.
  [[nodiscard]] bool choose_bytes() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_strip_alpha(png_);
    static_cast<void>(png_set_interlace_handling(png_));
    png_read_update_info(png_, info_);
    return true;
  }

  [[nodiscard]] bool read_rows(uint8_t** rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    return true;
  }

  [[nodiscard]] uint32_t width() const { return png_get_image_width(png_, info_); }
  [[nodiscard]] uint32_t height() const { return png_get_image_height(png_, info_); }
  [[nodiscard]] int64_t channels() const { return png_get_channels(png_, info_); }
  [[nodiscard]] std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  [[nodiscard]] const char* fault() const { return fault_; }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(reader.fault_, text, sizeof(reader.fault_) - 1);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp /*png*/, png_const_charp /*text*/) {}
  static void on_read(png_structp png, png_bytep to, std::size_t size) {
    auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (size > reader.bytes_.size()) png_error(png, "it is truncated");
    std::memcpy(to, reader.bytes_.data(), size);
    reader.bytes_ = reader.bytes_.subspan(size);
  }

  std::span<const uint8_t> bytes_;
  char fault_[200] = "out of memory";
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

bool is_png(std::span<const uint8_t> bytes) {
  return bytes.size() > 8 && png_sig_cmp(bytes.data(), 0, 8) == 0;
}

torch::Tensor decode_png(const std::string& path, std::span<const uint8_t> bytes,
                         void (*check_size)(const std::string& path, uint64_t width, uint64_t height)) {
  PngReader reader(bytes);
  const auto need = [&](bool is_good) {
    if (!is_good) throw RunError(path + ": is no readable PNG: " + reader.fault());
  };
  need(reader.read_header());
  check_size(path, reader.width(), reader.height());
  need(reader.choose_bytes());
  const int64_t height = reader.height(), width = reader.width(), channels = reader.channels();
  const std::size_t row_bytes = reader.row_bytes();
  if (row_bytes != static_cast<std::size_t>(width * channels))
    throw RunError(path + ": is no readable PNG: its rows are of an unknown form");
  auto pixels = torch::empty({height, width, channels}, torch::kUInt8);
  std::vector<uint8_t*> rows(static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = pixels.data_ptr<uint8_t>() + i * row_bytes;
  need(reader.read_rows(rows.data()));
  return pixels;
}

}  // namespace lightrun::sources
