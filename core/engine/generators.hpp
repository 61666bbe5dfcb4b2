#pragma once

#include <lightrun/state_dict.hpp>

#include <torch/types.h>

namespace lightrun::engine {

/// The states of LibTorch's random generators: of the CPU and of every GPU there is, by the device's name.
[[nodiscard]] StateDict generator_states();

/// Puts them back; a device that is not here is left out.
void set_generator_states(const StateDict& states);

/// The CPU's and the device's random numbers go on, after its life, as if nothing had been drawn meanwhile.
class SameRandomNumbers {
 public:
  explicit SameRandomNumbers(torch::Device device);
  ~SameRandomNumbers();
  SameRandomNumbers(const SameRandomNumbers&) = delete;
  SameRandomNumbers& operator=(const SameRandomNumbers&) = delete;

 private:
  StateDict states_;
};

}  // namespace lightrun::engine
