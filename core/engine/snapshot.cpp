#include "engine/snapshot.hpp"

#include "state/safetensors.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <cstring>

namespace lightrun::engine {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 22;
constexpr std::size_t kAlignment = 64;  // as LibTorch's own

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool is_plain(const torch::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == torch::kStrided && tensor.is_contiguous() &&
         !tensor.is_conj() && !tensor.is_neg();
}

}  // namespace

void Snapshot::begin(const state::NamedTensors& from) {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : from) {
    if (const auto reason = state::reason_not_to_save(tensor))
      throw RunError("tensor '" + name + "' cannot be saved: " + *reason);
    bytes += aligned(tensor.nbytes());
  }
  if (!memory_.defined() || memory_.nbytes() < bytes) {
    memory_ = torch::Tensor();  // before there is the new one
    memory_ = torch::empty({static_cast<int64_t>(bytes)}, torch::kByte);
  }
  tensors_.clear();
  pieces_.clear();
  auto* place = static_cast<std::byte*>(memory_.data_ptr());
  for (const auto& [name, tensor] : from) {
    const std::size_t size = tensor.nbytes();
    tensors_.emplace_back(name, torch::from_blob(place, tensor.sizes(), tensor.scalar_type()));
    if (is_plain(tensor)) {
      const auto* source = static_cast<const std::byte*>(tensor.data_ptr());
      for (std::size_t at = 0; at < size; at += kPieceBytes)
        pieces_.push_back({place + at, source + at, std::min(kPieceBytes, size - at)});
    } else {
      tensors_.back().second.copy_(tensor.detach());
    }
    place += aligned(size);
  }
  done_ = 0;
  begun_ = 0;
}

void Snapshot::copy() noexcept {
  const std::size_t all = pieces_.size();
  for (std::size_t i = begun_++; i < all; i = begun_++) {
    std::memcpy(pieces_[i].to, pieces_[i].from, pieces_[i].bytes);
    if (++done_ == all) done_.notify_all();
  }
  for (std::size_t done = done_; done < all; done = done_) done_.wait(done);
}

}  // namespace lightrun::engine
