#pragma once

#include "config/configs.hpp"
#include "sources/config_data.hpp"
#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <numeric>
#include <string>
#include <vector>

/// Sources of data, opened as a run opens them.
namespace lightrun::tests {

using sources::ConfigData;
using Part = ConfigData::Part;

/// The data of a config with these lines below `data:`, e.g. "train: {...}".
inline ConfigData config_data(const std::string& lines, StateDict learned = {}) {
  const auto spec = spec_of(kModel + "data:\n  " + lines + "\n");
  return {spec.data, std::move(learned), spec.origins, {}};
}

/// All samples of a dataset in one batch, in order.
inline Batch all_of(Dataset& data) {
  std::vector<int64_t> rows(static_cast<std::size_t>(data.size()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return data.get(rows);
}

/// A source that has learned from all of its samples.
template <typename Spec>
std::shared_ptr<Dataset> opened(const Spec& spec) {
  const auto source = sources::open_source(spec);
  std::vector<int64_t> rows(static_cast<std::size_t>(source->size().value()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  StateDict learned;
  source->learn(rows, learned);
  return source->open(learned).dataset;
}

/// What opening the source throws, "" if nothing.
template <typename Spec>
std::string fault_of(const Spec& spec) {
  try {
    static_cast<void>(all_of(*opened(spec)));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

template <typename T>
std::vector<T> numbers_of(const torch::Tensor& tensor) {
  const auto flat = tensor.contiguous();
  return {flat.data_ptr<T>(), flat.data_ptr<T>() + flat.numel()};
}

using Floats = std::vector<float>;
using Whole = std::vector<int64_t>;

}  // namespace lightrun::tests
