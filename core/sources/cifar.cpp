#include "sources/arrays.hpp"
#include "sources/check_path.hpp"
#include "sources/mapped_file.hpp"
#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <string>

// The format: https://www.cs.toronto.edu/~kriz/cifar.html. A row an image: its class (CIFAR-100: its coarse
// and its fine class), then 32 x 32 bytes of red, of green and of blue.
namespace lightrun::sources {
namespace {

constexpr int64_t kPixels = 3 * 32 * 32;

/// Rows of a file, mapped: [N, label bytes + pixels].
torch::Tensor rows_of(const std::string& path, int64_t classes) {
  const auto file = std::make_shared<MappedFile>(path);
  const auto bytes = static_cast<int64_t>(file->bytes().size());
  const int64_t width = (classes == 100 ? 2 : 1) + kPixels;
  if (bytes == 0 || bytes % width != 0) {
    throw RunError(
        fmt::format("{}: has {} bytes, which are no whole number of images of CIFAR-{} ({} bytes each)", path,
                    bytes, classes, width));
  }
  return torch::from_blob(
      const_cast<uint8_t*>(file->bytes().data()), {bytes / width, width}, [file](void*) {}, torch::kUInt8);
}

void check_labels(const std::string& path, const torch::Tensor& labels, int64_t classes) {
  if (labels.max().item<uint8_t>() < classes) return;
  const auto image = labels.argmax().item<int64_t>();
  throw RunError(fmt::format("{}: image {} has label {}; those of CIFAR-{} go up to {}", path, image,
                             labels[image].item<uint8_t>(), classes, classes - 1));
}

}  // namespace

std::unique_ptr<Source> open_source(const config::CifarSource& spec) {
  if (spec.paths.empty()) throw WrongSetting("paths", "must name a file");
  std::vector<torch::Tensor> all;
  const int64_t label_column = spec.classes == 100 ? 1 : 0;
  for (std::size_t i = 0; i < spec.paths.size(); ++i) {
    const std::string& path = spec.paths[i];
    check_file("paths", path);
    all.push_back(rows_of(path, spec.classes));
    check_labels(path, all.back().select(1, label_column), spec.classes);
  }
  const auto rows = all.size() == 1 ? all.front() : torch::cat(all);  // one file stays on the disk
  const auto images = rows.narrow(1, label_column + 1, kPixels).unflatten(1, {3, 32, 32});
  return std::make_unique<PlainSource>(
      std::make_shared<ByteImages>(images, rows.select(1, label_column), spec.classes));
}

}  // namespace lightrun::sources
