#pragma once

#include "state/checkpoint.hpp"

#include <atomic>
#include <cstddef>
#include <vector>

namespace lightrun::engine {

/// A copy of tensors on the CPU, in memory that it keeps for the next one: new memory costs many times what
/// the copy does. Several threads can share the copying.
class Snapshot {
 public:
  /// Makes room for a copy of `from`, which must stay as it is until is_copied(). What cannot be copied byte
  /// by byte, as of another device, is copied here already. Nobody may be copying meanwhile.
  /// Throws RunError for one that a checkpoint cannot hold.
  void begin(const state::NamedTensors& from);

  /// Copies what no other thread has begun to, and waits for the rest.
  void copy() noexcept;

  /// The copies, under the names of what they are copies of.
  [[nodiscard]] const state::NamedTensors& tensors() const { return tensors_; }

 private:
  struct Piece {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
  };

  torch::Tensor memory_;  ///< bytes
  state::NamedTensors tensors_;
  std::vector<Piece> pieces_;
  std::atomic<std::size_t> begun_ = 0;  ///< pieces
  std::atomic<std::size_t> done_ = 0;
};

}  // namespace lightrun::engine
