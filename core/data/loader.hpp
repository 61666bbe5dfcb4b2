#pragma once

#include "config/run_spec.hpp"

#include <lightrun/data.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

namespace lightrun::data {

/// A DataLoader with every choice made, walked epoch by epoch. The order of an epoch is a function of
/// (seed, epoch) alone, so that a batch can be found again without running through those before it.
class Loader {
 public:
  enum class Purpose { train, validate };

  /// @param defaults what the description leaves open; a validation is never shuffled and drops nothing by
  /// default
  Loader(DataLoader description, const config::DataSpec& defaults, Purpose purpose, int64_t seed);

  /// No data of this kind.
  [[nodiscard]] bool empty() const { return description_.empty(); }
  /// nullopt: a stream.
  [[nodiscard]] std::optional<int64_t> samples() const;
  [[nodiscard]] std::optional<int64_t> batches() const;
  [[nodiscard]] std::optional<int64_t> batch_size() const;

  /// Begins epoch `epoch` (from 0); at most `limit` batches of it are handed out, the first `done` of which
  /// have been.
  void start_epoch(int64_t epoch, std::optional<int64_t> limit, int64_t done = 0);

  /// The next batch, or nothing at the epoch's end.
  [[nodiscard]] std::optional<Batch> next();

  /// Whether next() has nothing more. A stream is read one batch ahead to know.
  [[nodiscard]] bool at_end();

 private:
  [[nodiscard]] std::optional<Batch> fetch();
  /// Reads the stream with random numbers of its own.
  template <typename Read>
  auto from_stream(int64_t position, Read&& read);

  DataLoader description_;
  int64_t batch_size_;
  bool shuffle_;
  bool drop_last_;
  int64_t seed_;

  int64_t epoch_ = 0;
  bool stream_ended_ = false;  ///< it is not asked again
  std::vector<int64_t> order_;
  std::optional<int64_t> limit_;
  int64_t position_ = 0;  ///< batches handed out in this epoch
  std::optional<Batch> ahead_;
  std::exception_ptr error_ahead_;
};

/// The order of an epoch: 0..size-1, permuted by a generator seeded with (seed, epoch) where `shuffle` is
/// set.
[[nodiscard]] std::vector<int64_t> epoch_order(int64_t size, bool shuffle, int64_t seed, int64_t epoch);

}  // namespace lightrun::data
