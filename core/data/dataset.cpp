#include <lightrun/data.hpp>
#include <lightrun/error.hpp>

namespace lightrun {

Dataset::~Dataset() = default;
IterableDataset::~IterableDataset() = default;

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
  // from_blob does not own its bytes; index_select only reads them during the call.
  const auto index = torch::from_blob(const_cast<int64_t*>(indices.data()),
                                      {static_cast<int64_t>(indices.size())}, torch::kInt64);
  Batch batch;
  for (const auto& [name, field] : fields_.fields()) {
    const auto& tensor = std::get<torch::Tensor>(field);
    batch.set(name, tensor.index_select(0, tensor.is_cpu() ? index : index.to(tensor.device())));
  }
  return batch;
}

}  // namespace lightrun
