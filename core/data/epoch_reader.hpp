#pragma once

#include <lightrun/data.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace lightrun::data {

/// One epoch of a dataset, of which any batch can be read, on any thread.
struct EpochReader {
  std::shared_ptr<Dataset> dataset;
  std::vector<int64_t> order;  ///< of the samples
  int64_t batch_size;
  uint64_t seed;                     ///< with the batch's number, of what it draws from batch_generator()
  bool pins = false;                 ///< into pinned memory, from where copies to a GPU do not wait
  std::shared_ptr<std::mutex> turn;  ///< held while the dataset is read; nullptr: no need

  /// Batch `number`, from 0, of the epoch.
  [[nodiscard]] Batch read(int64_t number) const;
};

}  // namespace lightrun::data
