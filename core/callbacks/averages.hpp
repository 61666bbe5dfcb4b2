#pragma once

#include <lightrun/state_dict.hpp>

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace lightrun::callbacks {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// The module's own parameters, then its buffers, by name.
[[nodiscard]] NamedTensors tensors_of(const torch::nn::Module& module);

/// A running average of a module's parameters and buffers. Those that are no floating-point numbers (the
/// count of batches in a batch norm) are what the module has last.
class Averages {
 public:
  [[nodiscard]] bool begun() const { return !tensors_.empty(); }

  /// Begins as what the module has now.
  void begin(const torch::nn::Module& module);

  /// average += share * (module - average), share in [0, 1]. A checkpoint that holds the average keeps it as
  /// it was.
  void move(const torch::nn::Module& module, double share);

  /// Copies the average into the module.
  void put_into(torch::nn::Module& module) const;

  void save(StateDict& state) const;
  /// Takes back what save() has put there; nothing is begun where that is nothing.
  void load(const StateDict& state);

 private:
  NamedTensors tensors_;  ///< in the order of tensors_of()
};

/// Has the average in the module, and puts back, bit by bit, what was there: put(), then give_back().
class AverageInPlace {
 public:
  [[nodiscard]] bool is_in() const { return !own_.empty(); }
  void put(const Averages& averages, torch::nn::Module& module);
  void give_back(torch::nn::Module& module);

 private:
  NamedTensors own_;  ///< copies
};

}  // namespace lightrun::callbacks
