#pragma once

#include "engine/run.hpp"

namespace lightrun::engine {

/// For the time of a step: autocast, where trainer.precision asks for it.
class ForwardPrecision {
 public:
  explicit ForwardPrecision(const Run& run);
  ~ForwardPrecision();
  ForwardPrecision(const ForwardPrecision&) = delete;
  ForwardPrecision& operator=(const ForwardPrecision&) = delete;

 private:
  bool autocasts_;
  bool on_cuda_;
};

/// The batch where the model is; floating tensors in double precision under `precision: 64`.
[[nodiscard]] Batch on_device(const Run& run, const Batch& batch);

}  // namespace lightrun::engine
