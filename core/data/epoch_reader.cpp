#include "data/epoch_reader.hpp"

#include "data/batch_random.hpp"
#include "data/each_tensor.hpp"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <span>

namespace lightrun::data {
namespace {

torch::Tensor pinned(const torch::Tensor& tensor) {
  const bool can_be = tensor.defined() && tensor.is_cpu() && tensor.layout() == torch::kStrided;
  return can_be && !tensor.is_pinned() ? tensor.pin_memory() : tensor;
}

}  // namespace

Batch EpochReader::read(int64_t number) const {
  const auto begin = static_cast<std::size_t>(number * batch_size);
  const auto count = std::min(static_cast<std::size_t>(batch_size), order.size() - begin);
  std::unique_lock<std::mutex> lock;
  if (turn) lock = std::unique_lock(*turn);
  const at::NoGradGuard no_grad;
  seed_batch_generator(mixed(static_cast<int64_t>(seed), number));
  Batch batch = dataset->get(std::span(order).subspan(begin, count));
  if (lock) lock.unlock();
  if (pins) return with_each_tensor(batch, pinned);
  return batch;
}

}  // namespace lightrun::data
