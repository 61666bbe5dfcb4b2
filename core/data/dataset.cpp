#include "data/rows.hpp"
#include "data/type_name.hpp"

#include <lightrun/data.hpp>
#include <lightrun/error.hpp>

#include <algorithm>
#include <array>

namespace lightrun {
namespace {

using Tensors = std::vector<torch::Tensor>;

/// One field of several samples, stacked where all have the same shape.
Batch::Field collated(Tensors tensors) {
  const auto shape = tensors.front().sizes();
  const bool are_alike =
      std::ranges::all_of(tensors, [&](const auto& each) { return each.sizes() == shape; });
  if (are_alike) return torch::stack(tensors);
  return tensors;
}

/// Whole numbers [N] from 0 on are taken for classes; of others 0, not known.
int64_t classes_in(const torch::Tensor& field) {
  const bool may_be =
      field.dim() == 1 && field.numel() > 0 && c10::isIntegralType(field.scalar_type(), false);
  if (!may_be || field.min().item<int64_t>() < 0) return 0;
  return field.max().item<int64_t>() + 1;
}

}  // namespace

Dataset::~Dataset() = default;
IterableDataset::~IterableDataset() = default;

bool Dataset::is_concurrent() const {
  return false;
}

DataInfo Dataset::describe() {
  DataInfo info;
  if (size() == 0) return info;
  const std::array<int64_t, 1> first = {0};
  const Batch sample = get(first);
  for (const auto& [name, field] : sample.fields()) {
    FieldInfo& added = info.fields.emplace_back();
    added.name = name;
    if (const auto* tensor = std::get_if<torch::Tensor>(&field)) {
      added.shape = tensor->sizes().slice(1).vec();
      added.dtype = data::type_name(tensor->scalar_type());
    }
  }
  return info;
}

Batch SampleDataset::get(std::span<const int64_t> indices) {
  std::vector<std::pair<std::string, Tensors>> fields;
  for (const int64_t index : indices) {
    const Batch one = sample(index);
    if (fields.empty())
      for (const auto& [name, field] : one.fields()) fields.emplace_back(name, Tensors());
    if (one.fields().size() != fields.size()) {
      throw RunError("sample " + std::to_string(index) + " has " + std::to_string(one.fields().size()) +
                     " fields, others of the batch have " + std::to_string(fields.size()));
    }
    for (auto& [name, tensors] : fields) tensors.push_back(one[name]);
  }
  Batch batch;
  for (auto& [name, tensors] : fields) batch.set(name, collated(std::move(tensors)));
  return batch;
}

bool IterableDataset::skip(int64_t /*batches*/) {
  return false;
}

TensorDataset::TensorDataset(Batch fields) : fields_(std::move(fields)) {
  for (const auto& [name, field] : fields_.fields()) {
    const auto* tensor = std::get_if<torch::Tensor>(&field);
    if (!tensor || !tensor->defined() || tensor->dim() == 0) {
      throw RunError("TensorDataset: field '" + name + "' is not a tensor of samples [N, ...]");
    }
    if (tensor->size(0) != fields_.size()) {
      throw RunError("TensorDataset: field '" + fields_.fields().front().first + "' holds " +
                     std::to_string(fields_.size()) + " samples, field '" + name + "' " +
                     std::to_string(tensor->size(0)));
    }
  }
}

int64_t TensorDataset::size() const {
  return fields_.size();
}

Batch TensorDataset::get(std::span<const int64_t> indices) {
  Batch batch;
  for (const auto& [name, field] : fields_.fields())
    batch.set(name, data::rows_of(std::get<torch::Tensor>(field), indices));
  return batch;
}

DataInfo TensorDataset::describe() {
  DataInfo info = Dataset::describe();
  for (FieldInfo& field : info.fields) field.classes = classes_in(fields_[field.name]);
  return info;
}

}  // namespace lightrun
