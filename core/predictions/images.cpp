#include "predictions/formats.hpp"
#include "sources/image_file.hpp"
#include "support/atomic_file.hpp"

#include <lightrun/error.hpp>

#include <ATen/ATen.h>
#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <system_error>

namespace lightrun::predictions {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_cannot(const fs::path& path, const std::error_code& error) {
  throw RunError(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

/// Whole, or not there; the folder is not synced.
void write_image(const fs::path& path, const torch::Tensor& pixels) {
  const fs::path aside = support::temporary_path(path, ::getpid());
  std::error_code error;
  try {
    sources::write_png(aside.string(), pixels);
    fs::rename(aside, path, error);
    if (error) throw_cannot(path, error);
  } catch (...) {
    fs::remove(aside, error);
    throw;
  }
}

}  // namespace

void write_images(const Output& output, const torch::Tensor& images) {
  const fs::path& folder = output.path;
  const int64_t rows = images.size(0);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_cannot(folder, error);
  for (int64_t row = 0; row < rows && !output.overwrite; ++row) {
    const fs::path path = folder / image_name(row);
    if (fs::exists(path, error)) throw_exists(path);
  }
  for (int64_t row = 0; row < rows; ++row) {
    const auto numbers = images[row].to(torch::kFloat32).nan_to_num().clamp(0, 1);
    write_image(folder / image_name(row), numbers.mul(255).round().to(torch::kUInt8));
  }
  support::sync_folder(folder);
}

}  // namespace lightrun::predictions
