#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>

namespace lightrun::data {

/// The rows at `indices` of a tensor [N, ...], on its device, by one index_select.
[[nodiscard]] inline torch::Tensor rows_of(const torch::Tensor& tensor, std::span<const int64_t> indices) {
  // from_blob does not own its bytes; index_select only reads them during the call.
  const auto index = torch::from_blob(const_cast<int64_t*>(indices.data()),
                                      {static_cast<int64_t>(indices.size())}, torch::kInt64);
  return tensor.index_select(0, tensor.is_cpu() ? index : index.to(tensor.device()));
}

}  // namespace lightrun::data
