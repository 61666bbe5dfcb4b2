#include "sources/arrays.hpp"
#include "sources/check_path.hpp"
#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <string>

namespace lightrun::sources {
namespace {

constexpr const char* kIdxClasses = "idx.classes";

class Idx : public Source {
 public:
  Idx(const config::IdxSource& spec, torch::Tensor images, torch::Tensor labels)
      : spec_(spec), images_(std::move(images)), labels_(std::move(labels)) {}

  [[nodiscard]] std::optional<int64_t> size() const override { return images_.size(0); }

  void learn(std::span<const int64_t> /*rows*/, StateDict& learned) const override {
    if (labels_.defined()) learned.set(kIdxClasses, int64_t{labels_.max().item<uint8_t>()} + 1);
  }

  [[nodiscard]] DataLoader open(const StateDict& learned) const override {
    const int64_t classes =
        labels_.defined() && learned.contains(kIdxClasses) ? learned.get<int64_t>(kIdxClasses) : 0;
    if (classes > 0 && labels_.max().item<uint8_t>() >= classes) {
      throw RunError(fmt::format("{}: image {} has label {}, but the training data's go up to {}",
                                 spec_.labels, labels_.argmax().item<int64_t>(),
                                 labels_.max().item<uint8_t>(), classes - 1));
    }
    return {std::make_shared<ByteImages>(images_.unsqueeze(1), labels_, classes)};
  }

 private:
  config::IdxSource spec_;
  torch::Tensor images_, labels_;
};

torch::Tensor read(const char* setting, const std::string& path, int64_t dimensions) {
  check_file(setting, path);
  auto tensor = read_idx(path, dimensions);
  if (tensor.numel() == 0) throw RunError(path + ": holds nothing");
  return tensor;
}

}  // namespace

std::unique_ptr<Source> open_source(const config::IdxSource& spec) {
  const auto images = read("images", spec.images, 3);
  torch::Tensor labels;
  if (!spec.labels.empty()) {
    labels = read("labels", spec.labels, 1);
    if (labels.size(0) != images.size(0)) {
      throw WrongSetting("labels", fmt::format("{} has {} labels, but {} has {} images", spec.labels,
                                               labels.size(0), spec.images, images.size(0)));
    }
  }
  return std::make_unique<Idx>(spec, images, labels);
}

}  // namespace lightrun::sources
