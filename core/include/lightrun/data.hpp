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
///
/// With `data.workers: 0` everything is called by the loop's thread. With workers, get() is called by their
/// threads, for batches that the loop has not come to yet; size(), is_concurrent() and describe() are still
/// called by the loop's thread, and size() may be while get() runs. Reading ahead begins with the first batch
/// of an epoch, after its starting hooks (on_train_epoch_start), and has ended before its ending hooks:
/// between epochs a model may change its dataset, within one it may not. The loader keeps the dataset alive.
class LIGHTRUN_API Dataset {
 public:
  virtual ~Dataset();

  /// Number of samples.
  [[nodiscard]] virtual int64_t size() const = 0;

  /// The samples at `indices` (each in [0, size())), collated, in that order. Gradient mode is off. What it
  /// draws at random comes from batch_generator(), not from LibTorch's own generator. A worker's LibTorch
  /// uses one core, so that a sum over very many numbers may differ from `workers: 0` in its last bit. What
  /// it throws ends the run where the loop comes to this batch.
  [[nodiscard]] virtual Batch get(std::span<const int64_t> indices) = 0;

  /// Whether several threads may call get() at once (`data.workers`). Default: no; then one worker reads it,
  /// in the order of the batches, and waits for its turn while any other such dataset of the run is read.
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
/// run draws, so that a resumed run sees the same batches. The loop's thread reads it, with or without
/// `data.workers`, and with gradient mode off.
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
  /// A field of whole numbers [N] from 0 on has as many classes as its largest number says.
  [[nodiscard]] DataInfo describe() override;

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
