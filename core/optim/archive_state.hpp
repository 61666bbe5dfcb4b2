#pragma once

#include <lightrun/state_dict.hpp>

#include <torch/serialize/archive.h>

#include <sstream>
#include <string>

/// What an optimizer that lightrun does not know writes into LibTorch's archives, by name.
namespace lightrun::optim {

/// Adds to `values` what an archive holds. Throws RunError where something in it is no tensor, number, text
/// or list of numbers. `whose` names it in the message.
void take_values(const torch::serialize::OutputArchive& archive, const std::string& whose, StateDict& values);

/// An archive with these values, to be read.
[[nodiscard]] torch::serialize::InputArchive archive_of(const StateDict& values);

/// The values that `object.serialize(archive)` gives: of an OptimizerOptions or OptimizerParamState.
template <typename Object>
void values_of(const Object& object, const std::string& whose, StateDict& values) {
  torch::serialize::OutputArchive archive;
  object.serialize(archive);
  take_values(archive, whose, values);
}

}  // namespace lightrun::optim
