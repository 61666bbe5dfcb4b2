#pragma once

#include "config/run_spec.hpp"
#include "data/epoch_reader.hpp"
#include "data/prefetcher.hpp"

#include <lightrun/data.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace lightrun::data {

/// How batches are read, whatever is in them.
struct Reading {
  bool pins = false;  ///< workers put them into pinned memory, from where copies to a GPU do not wait
  /// Held while a dataset is read that is not concurrent; shared by loaders whose datasets may have
  /// something in common. nullptr: this loader has its own.
  std::shared_ptr<std::mutex> turn;
};

/// A DataLoader with every choice made, walked epoch by epoch. The order of an epoch is a function of
/// (seed, epoch) alone, so that a batch can be found again without running through those before it. With
/// `data.workers`, threads read a dataset's batches ahead, from an epoch's first next() on; what comes out is
/// the same. A stream is always read by the caller.
class Loader {
 public:
  enum class Purpose { train, validate };

  /// @param defaults what the description leaves open; a validation is never shuffled and drops nothing by
  /// default
  Loader(DataLoader description, const config::DataSpec& defaults, Purpose purpose, int64_t seed,
         Reading reading = {});

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

  /// Ends reading ahead: nobody reads the dataset any more, until next() is called.
  void stop() { prefetcher_.reset(); }

 private:
  [[nodiscard]] std::optional<Batch> fetch();
  [[nodiscard]] Batch from_dataset();
  void start_threads();
  /// Reads the stream with random numbers of its own.
  template <typename Read>
  auto from_stream(int64_t position, Read&& read);

  DataLoader description_;
  int64_t batch_size_;
  bool shuffle_;
  bool drop_last_;
  int64_t seed_;
  int64_t workers_;
  int64_t prefetch_;
  Reading reading_;

  int64_t epoch_ = 0;
  bool stream_ended_ = false;                  ///< it is not asked again
  std::shared_ptr<const EpochReader> reader_;  ///< of a dataset
  std::optional<int64_t> limit_;
  int64_t position_ = 0;  ///< batches handed out in this epoch
  std::optional<Batch> ahead_;
  std::exception_ptr error_ahead_;
  std::unique_ptr<Prefetcher> prefetcher_;  ///< of this epoch, from its first batch on
};

/// Ends reading ahead where a scope is left, however that comes.
class StopsReading {
 public:
  explicit StopsReading(Loader& loader) : loader_(loader) {}
  ~StopsReading() { loader_.stop(); }
  StopsReading(const StopsReading&) = delete;
  StopsReading& operator=(const StopsReading&) = delete;

 private:
  Loader& loader_;
};

/// The order of an epoch: 0..size-1, permuted by a generator seeded with (seed, epoch) where `shuffle` is
/// set.
[[nodiscard]] std::vector<int64_t> epoch_order(int64_t size, bool shuffle, int64_t seed, int64_t epoch);

}  // namespace lightrun::data
