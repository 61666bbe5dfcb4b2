// Models that misbehave on request, for the end-to-end tests. Training batch i (from 0) has gradient i + 1
// (P-LIN of the field reports).

#include <lightrun/lightrun.hpp>

#include <torch/optim/sgd.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace {

// H29: tensors that outlive main() must not bring the process down.
const torch::Tensor kStatic = torch::ones({1000});

/// Each batch takes a while to be read.
class SlowDataset : public lightrun::Dataset {
 public:
  SlowDataset(lightrun::Batch all, std::chrono::milliseconds sleep)
      : data_(std::make_shared<lightrun::TensorDataset>(std::move(all))), sleep_(sleep) {}
  [[nodiscard]] int64_t size() const override { return data_->size(); }
  lightrun::Batch get(std::span<const int64_t> indices) override {
    std::this_thread::sleep_for(sleep_);
    return data_->get(indices);
  }

 private:
  std::shared_ptr<lightrun::TensorDataset> data_;
  std::chrono::milliseconds sleep_;
};

class Faulty : public lightrun::Module {
 public:
  static lightrun::ParamDecls parameters() {
    return {{"batches", 5, "batches an epoch"},
            {"throw_at", -1, "run-wide batch (from 0) whose training_step throws"},
            {"abort_at", -1, "... calls abort()"},
            {"torch_error_at", -1, "... asks LibTorch for something impossible"},
            {"data_fails", false, "train_dataloader throws"},
            {"sleep_ms", 0, "how long each training_step takes"},
            {"read_sleep_ms", 0, "how long each training batch takes to be read"},
            {"load_sleep_ms", 0, "how long train_dataloader takes"},
            {"bar_metric", "", "what training_step logs for the progress bar"},
            {"nan_at", -1, "... whose loss is NaN"},
            {"val_batches", 0, "validation batches; 0: no validation"},
            {"val_sleep_ms", 0, "how long each validation_step takes"},
            {"val_throw_at", -1, "run-wide validation batch (from 0) that throws"},
            {"predict_batches", 0, "batches to predict; 0: none"},
            {"predict_sleep_ms", 0, "how long each predict_step takes"}};
  }

  explicit Faulty(const lightrun::Params& params)
      : batches_(params.get<int64_t>("batches")),
        throw_at_(params.get<int64_t>("throw_at")),
        abort_at_(params.get<int64_t>("abort_at")),
        torch_error_at_(params.get<int64_t>("torch_error_at")),
        data_fails_(params.get<bool>("data_fails")),
        sleep_(params.get<int64_t>("sleep_ms")),
        read_sleep_(params.get<int64_t>("read_sleep_ms")),
        load_sleep_(params.get<int64_t>("load_sleep_ms")),
        bar_metric_(params.get<std::string>("bar_metric")),
        nan_at_(params.get<int64_t>("nan_at")),
        val_batches_(params.get<int64_t>("val_batches")),
        val_sleep_(params.get<int64_t>("val_sleep_ms")),
        val_throw_at_(params.get<int64_t>("val_throw_at")),
        predict_batches_(params.get<int64_t>("predict_batches")),
        predict_sleep_(params.get<int64_t>("predict_sleep_ms")) {
    w_ = register_parameter("w", torch::zeros({1}, torch::kFloat64));
  }

  lightrun::StepResult training_step(const lightrun::Batch& batch,
                                     const lightrun::StepInfo& /*info*/) override {
    const int64_t now = seen_++;
    if (now == throw_at_) throw std::runtime_error("boom");
    if (now == abort_at_) std::abort();
    if (now == torch_error_at_) return torch::ones({2, 3}).matmul(torch::ones({2, 3})).sum();
    std::this_thread::sleep_for(sleep_);
    if (!bar_metric_.empty()) log(bar_metric_, static_cast<double>(now), {.prog_bar = true});
    const auto loss = (batch["gradient"] * w_).sum();
    return now == nan_at_ ? loss * std::numeric_limits<double>::quiet_NaN() : loss;
  }

  void validation_step(const lightrun::Batch& /*batch*/, const lightrun::StepInfo& /*info*/) override {
    if (val_seen_++ == val_throw_at_) throw std::runtime_error("boom");
    std::this_thread::sleep_for(val_sleep_);
    log("val_loss", w_.sum());
  }

  /// `row`: as many as the batch has samples.
  lightrun::Batch predict_step(const lightrun::Batch& batch, const lightrun::StepInfo& /*info*/) override {
    std::this_thread::sleep_for(predict_sleep_);
    return {{"row", batch["gradient"].select(1, 0)}};
  }

  lightrun::DataLoader train_dataloader() override {
    if (data_fails_) throw std::runtime_error("no such table");
    std::this_thread::sleep_for(load_sleep_);
    return one_by_one(batches_, read_sleep_);
  }
  lightrun::DataLoader val_dataloader() override {
    return val_batches_ == 0 ? lightrun::DataLoader() : one_by_one(val_batches_, {});
  }
  lightrun::DataLoader predict_dataloader() override {
    return predict_batches_ == 0 ? lightrun::DataLoader() : one_by_one(predict_batches_, {});
  }

 private:
  static lightrun::DataLoader one_by_one(int64_t batches, std::chrono::milliseconds sleep) {
    lightrun::DataLoader loader(std::make_shared<SlowDataset>(
        lightrun::Batch{{"gradient", torch::arange(1, batches + 1, torch::kFloat64).unsqueeze(1)}}, sleep));
    loader.batch_size = 1;
    loader.shuffle = false;
    return loader;
  }

  int64_t batches_;
  int64_t throw_at_;
  int64_t abort_at_;
  int64_t torch_error_at_;
  bool data_fails_;
  std::chrono::milliseconds sleep_;
  std::chrono::milliseconds read_sleep_;
  std::chrono::milliseconds load_sleep_;
  std::string bar_metric_;
  int64_t nan_at_;
  int64_t val_batches_;
  std::chrono::milliseconds val_sleep_;
  int64_t val_throw_at_;
  int64_t predict_batches_;
  std::chrono::milliseconds predict_sleep_;
  int64_t val_seen_ = 0;
  torch::Tensor w_;
  int64_t seen_ = 0;
};

}  // namespace

LIGHTRUN_MODEL(Faulty, "faulty", "Misbehaves on request");
