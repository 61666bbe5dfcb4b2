#pragma once

#include "support/style.hpp"

#include <lightrun/run_info.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::support {

/// One parameter of a model.
struct ParameterRow {
  std::string name;
  std::vector<int64_t> shape;
  int64_t count = 0;  ///< of numbers in it
  bool trainable = true;
};

/// A model's parameters. A tensor that stands under two names has two rows, and counts once.
struct ModelSize {
  std::vector<ParameterRow> rows;
  int64_t count = 0;
  int64_t trainable_count = 0;
  int64_t bytes = 0;
};

/// How many epochs the run will begin, as far as it is known beforehand: max_epochs, or less where max_steps
/// ends it; nothing for a run without end.
[[nodiscard]] std::optional<int64_t> planned_epochs(const RunInfo& info);

/// What is about to run, one fact a line: model, parameters, device and seed, data, optimizers, steps, run
/// folder.
/// @param width columns of the screen, if it goes to one
[[nodiscard]] std::vector<std::string> run_header(const RunInfo& info, const ModelSize& model,
                                                  const Style& style = Style(),
                                                  std::optional<int> width = std::nullopt);

/// The parameters, one a line: name, shape, count, trainable; after `max_rows` of them how many more there
/// are; the total.
[[nodiscard]] std::vector<std::string> parameter_table(const ModelSize& model, std::size_t max_rows,
                                                       const Style& style = Style(),
                                                       std::optional<int> width = std::nullopt);

}  // namespace lightrun::support
