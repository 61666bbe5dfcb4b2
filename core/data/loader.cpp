#include "data/loader.hpp"

#include "data/batch_random.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

namespace lightrun::data {
namespace {

/// LibTorch's CPU generator begins at a seed, and is as it was afterwards.
class SeededMeanwhile {
 public:
  explicit SeededMeanwhile(uint64_t seed) : generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard lock(generator_.mutex());
    before_ = generator_.get_state();
    generator_.set_current_seed(seed);
  }
  ~SeededMeanwhile() {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(before_);
  }
  SeededMeanwhile(const SeededMeanwhile&) = delete;
  SeededMeanwhile& operator=(const SeededMeanwhile&) = delete;

 private:
  at::Generator generator_;
  at::Tensor before_;
};

}  // namespace

std::vector<int64_t> epoch_order(int64_t size, bool shuffle, int64_t seed, int64_t epoch) {
  std::vector<int64_t> order(static_cast<std::size_t>(size));
  if (shuffle) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(mixed(seed, epoch));
    const auto permutation = torch::randperm(size, generator, torch::kInt64);
    std::copy_n(permutation.data_ptr<int64_t>(), size, order.begin());
  } else {
    std::iota(order.begin(), order.end(), int64_t{0});
  }
  return order;
}

Loader::Loader(DataLoader description, const config::DataSpec& defaults, Purpose purpose, int64_t seed,
               Reading reading)
    : description_(std::move(description)),
      batch_size_(description_.batch_size.value_or(defaults.batch_size)),
      shuffle_(description_.shuffle.value_or(purpose == Purpose::train && defaults.shuffle)),
      drop_last_(description_.drop_last.value_or(purpose == Purpose::train && defaults.drop_last)),
      seed_(seed),
      workers_(defaults.workers),
      prefetch_(defaults.prefetch),
      reading_(std::move(reading)) {
  if (!reading_.turn) reading_.turn = std::make_shared<std::mutex>();
}

std::optional<int64_t> Loader::samples() const {
  if (!description_.dataset) return std::nullopt;
  return description_.dataset->size();
}

std::optional<int64_t> Loader::batches() const {
  const auto size = samples();
  if (!size) return std::nullopt;
  return drop_last_ ? *size / batch_size_ : (*size + batch_size_ - 1) / batch_size_;
}

std::optional<int64_t> Loader::batch_size() const {
  return description_.dataset ? std::optional(batch_size_) : std::nullopt;
}

/// What a stream draws follows from the seed, the epoch and the position alone.
template <typename Read>
auto Loader::from_stream(int64_t position, Read&& read) {
  const at::NoGradGuard no_grad;
  const SeededMeanwhile seeded(mixed(static_cast<int64_t>(mixed(seed_, epoch_)), position));
  return read(*description_.stream);
}

void Loader::start_epoch(int64_t epoch, std::optional<int64_t> limit, int64_t done) {
  stop();
  epoch_ = epoch;
  stream_ended_ = false;
  ahead_.reset();
  error_ahead_ = nullptr;
  limit_ = limit;
  if (const auto available = batches()) limit_ = std::min(limit.value_or(*available), *available);
  position_ = done;
  if (description_.dataset) {
    const bool takes_turns = workers_ > 0 && !description_.dataset->is_concurrent();
    reader_ = std::make_shared<const EpochReader>(
        EpochReader{.dataset = description_.dataset,
                    .order = epoch_order(description_.dataset->size(), shuffle_, seed_, epoch),
                    .batch_size = batch_size_,
                    .seed = mixed(seed_, epoch),
                    .pins = workers_ > 0 && reading_.pins,
                    .turn = takes_turns ? reading_.turn : nullptr});
  } else if (description_.stream) {
    from_stream(-1, [&](IterableDataset& stream) { stream.reset(epoch); });
    const bool is_there = done == 0 || from_stream(-1, [&](auto& stream) { return stream.skip(done); });
    for (int64_t i = 0; !is_there && i < done; ++i)
      static_cast<void>(from_stream(i, [](auto& stream) { return stream.next(); }));
  }
}

std::optional<Batch> Loader::fetch() {
  if (stream_ended_ || (limit_ && position_ >= *limit_)) return std::nullopt;
  if (!description_.dataset) {
    auto batch = from_stream(position_, [](IterableDataset& stream) { return stream.next(); });
    if (batch) ++position_;
    stream_ended_ = !batch;
    return batch;
  }
  return from_dataset();
}

void Loader::start_threads() {
  const int64_t left = *limit_ - position_;
  const bool asks_for_more = prefetch_ > left / workers_;
  // One that is not concurrent gains nothing from a second thread, and is read in order by one.
  prefetcher_ =
      std::make_unique<Prefetcher>([reader = reader_](int64_t number) { return reader->read(number); },
                                   Prefetcher::Extent{.first = position_,
                                                      .end = *limit_,
                                                      .threads = reader_->turn ? 1 : workers_,
                                                      .ahead = asks_for_more ? left : workers_ * prefetch_});
}

Batch Loader::from_dataset() {
  if (workers_ == 0) return reader_->read(position_++);
  if (!prefetcher_) start_threads();
  ++position_;
  return prefetcher_->next();
}

std::optional<Batch> Loader::next() {
  if (const auto error = std::exchange(error_ahead_, nullptr)) std::rethrow_exception(error);
  if (!ahead_) return fetch();
  auto batch = std::move(ahead_);
  ahead_.reset();
  return batch;
}

bool Loader::at_end() {
  if (ahead_ || error_ahead_) return false;
  if (limit_ && position_ >= *limit_) return true;
  if (description_.dataset) return false;
  try {
    ahead_ = fetch();
  } catch (...) {
    error_ahead_ = std::current_exception();  // it belongs to the next batch; this one is good
    return false;
  }
  return !ahead_;
}

}  // namespace lightrun::data
