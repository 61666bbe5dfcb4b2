#include "sources/arrays.hpp"

#include <utility>

namespace lightrun::sources {

ByteImages::ByteImages(torch::Tensor images, torch::Tensor classes, int64_t class_count,
                       std::vector<std::string> labels)
    : images_(std::move(images)),
      classes_(std::move(classes)),
      class_count_(class_count),
      labels_(std::move(labels)) {}

int64_t ByteImages::size() const {
  return images_.size(0);
}

Batch ByteImages::get(std::span<const int64_t> indices) {
  const auto index = torch::from_blob(const_cast<int64_t*>(indices.data()),
                                      {static_cast<int64_t>(indices.size())}, torch::kInt64);
  Batch batch{{"image", images_.index_select(0, index).to(torch::kFloat32).div_(255)}};
  if (classes_.defined()) batch.set("label", classes_.index_select(0, index).to(torch::kInt64));
  return batch;
}

DataInfo ByteImages::describe() {
  DataInfo info = Dataset::describe();
  for (FieldInfo& field : info.fields) {
    if (field.name != "label") continue;
    field.classes = class_count_;
    field.labels = labels_;
  }
  return info;
}

}  // namespace lightrun::sources
