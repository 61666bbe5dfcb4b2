#pragma once

#include "predictions/fields.hpp"
#include "predictions/output.hpp"

#include <lightrun/batch.hpp>
#include <lightrun/data_info.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::predictions {

/// Gathers what predict_step answers, on the CPU, and writes one file of all of it. Until write() nothing
/// touches the disk.
class Writer {
 public:
  explicit Writer(Output output) : output_(std::move(output)) {}

  /// Takes what was answered of batch `batch_idx` (from 0); the values are copied. Throws RunError naming
  /// batch and field: no tensor with a row a sample, or with other names, types or shapes than in the first
  /// batch (texts may differ in length); in the first batch also where the output cannot take the fields.
  /// @param samples of that batch
  void add(int64_t batch_idx, int64_t samples, const Batch& answer);

  /// Writes what was added, in that order: a file atomically, a folder image by image. Throws RunError naming
  /// the path.
  /// @param info of the data, for the names of classes
  void write(const DataInfo& info);

  /// Once it is written: "p.csv: 150 rows of prediction, probability".
  [[nodiscard]] std::string summary() const;

 private:
  struct Column {
    std::string name;
    std::vector<torch::Tensor> batches;
  };

  [[nodiscard]] bool is_text(const std::string& name, const torch::Tensor& tensor) const;
  void check_same(int64_t batch_idx, const Fields& fields) const;
  [[nodiscard]] Fields all_rows() const;

  Output output_;
  std::vector<Column> columns_;
  int64_t first_batch_ = 0;
  int64_t rows_ = 0;
  std::string written_;  // names of the fields
};

}  // namespace lightrun::predictions
