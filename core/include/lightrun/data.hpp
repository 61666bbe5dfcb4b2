#pragma once

#include <lightrun/batch.hpp>
#include <lightrun/data_info.hpp>
#include <lightrun/export.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace lightrun {

/// Samples by index. The loader asks for a whole batch at once.
class LIGHTRUN_API Dataset {
 public:
  virtual ~Dataset();

  /// Number of samples.
  [[nodiscard]] virtual int64_t size() const = 0;

  /// The samples at `indices` (each in [0, size())), collated, in that order.
  [[nodiscard]] virtual Batch get(std::span<const int64_t> indices) = 0;

  /// Whether several threads may call get() at once (`data.workers`). Default: no, one waits for the other.
  [[nodiscard]] virtual bool is_concurrent() const;

  /// What its batches look like. Default: shapes and types of the first sample's fields.
  [[nodiscard]] virtual DataInfo describe();
};

/// Samples one by one: get() stacks what sample() answers. Fields whose shapes differ between samples become
/// lists (for packed sequences).
class LIGHTRUN_API SampleDataset : public Dataset {
 public:
  /// Fields of one sample, without the dimension that counts samples.
  [[nodiscard]] virtual Batch sample(int64_t index) = 0;

  [[nodiscard]] Batch get(std::span<const int64_t> indices) override;
};

/// For what a dataset draws at random in get() (augmentation): seeded anew for each batch from the run's
/// seed, the epoch and the batch's place, so that the same batch comes out whichever thread reads it, and
/// again when a run is resumed. Each thread has its own.
[[nodiscard]] LIGHTRUN_API torch::Generator& batch_generator();

/// Batches one after the other, of a length nobody knows; it may never end. Random numbers that it draws from
/// LibTorch's CPU generator are its own: they depend on the seed, the epoch and the batch, whatever else the
/// run draws, so that a resumed run sees the same batches.
class LIGHTRUN_API IterableDataset {
 public:
  virtual ~IterableDataset();

  /// Starts epoch `epoch` (from 0) from its beginning.
  virtual void reset(int64_t epoch) = 0;

  /// The next batch, or nothing at the end of the epoch.
  [[nodiscard]] virtual std::optional<Batch> next() = 0;

  /// After reset(): goes past the first `batches` of the epoch, which a resumed run has seen already, and
  /// answers true. Default: false, and they are read and dropped. Override where they can be found faster, or
  /// where the source is live and has nothing to repeat.
  [[nodiscard]] virtual bool skip(int64_t batches);
};

/// A dataset in memory: fields of equal first dimension. A batch is one `index_select` a field.
class LIGHTRUN_API TensorDataset : public Dataset {
 public:
  /// Throws RunError where the fields differ in their first dimension, naming two that do.
  explicit TensorDataset(Batch fields);

  [[nodiscard]] int64_t size() const override;
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override;
  [[nodiscard]] bool is_concurrent() const override { return true; }

 private:
  Batch fields_;
};

/// What to load and how; what is left out comes from the config's `data` section.
struct DataLoader {
  DataLoader() = default;
  // Implicit on purpose: a model's hook ends in `return std::make_shared<TensorDataset>(...);`.
  template <std::derived_from<Dataset> T>
  DataLoader(std::shared_ptr<T> dataset_) : dataset(std::move(dataset_)) {}
  template <std::derived_from<IterableDataset> T>
  DataLoader(std::shared_ptr<T> stream_) : stream(std::move(stream_)) {}

  /// Neither of the two: there is no such data.
  [[nodiscard]] bool empty() const { return !dataset && !stream; }

  std::shared_ptr<Dataset> dataset;
  std::shared_ptr<IterableDataset> stream;
  std::optional<int64_t> batch_size;  ///< samples a batch (a dataset only)
  std::optional<bool> shuffle;    ///< a new order each epoch (a dataset only; validation: never by default)
  std::optional<bool> drop_last;  ///< leave out a last, smaller batch
};

}  // namespace lightrun
