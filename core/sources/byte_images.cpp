#include "data/rows.hpp"
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
  Batch batch{{"image", data::rows_of(images_, indices).to(torch::kFloat32).div_(255)}};
  if (classes_.defined()) batch.set("label", data::rows_of(classes_, indices).to(torch::kInt64));
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
