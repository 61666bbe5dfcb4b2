#pragma once

#include <lightrun/batch.hpp>

#include <utility>
#include <variant>
#include <vector>

namespace lightrun::data {

/// The batch with `change(tensor)` in place of each of its tensors.
template <typename Change>
[[nodiscard]] Batch with_each_tensor(const Batch& batch, Change&& change) {
  Batch changed;
  for (const auto& [name, field] : batch.fields()) {
    if (const auto* tensor = std::get_if<torch::Tensor>(&field)) {
      changed.set(name, change(*tensor));
      continue;
    }
    std::vector<torch::Tensor> list;
    for (const auto& tensor : std::get<std::vector<torch::Tensor>>(field)) list.push_back(change(tensor));
    changed.set(name, std::move(list));
  }
  return changed;
}

}  // namespace lightrun::data
