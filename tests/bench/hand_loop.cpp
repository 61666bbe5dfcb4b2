// The loop that lightrun is measured against, as one writes it by hand with LibTorch's own parts: torch::data
// with Stack, torch::optim, clip_grad_norm_, and a check of every tensor where NaN is to stop the run.
//
// hand_loop WORKLOAD sgd|adam plain|features BATCHES_A_ROUND

#include "pacer.hpp"
#include "workloads.hpp"

#include "data/batch_random.hpp"

#include <torch/data/dataloader.h>
#include <torch/data/datasets/base.h>
#include <torch/data/datasets/map.h>
#include <torch/data/samplers/base.h>
#include <torch/data/transforms/stack.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace lightrun::bench;
namespace data = torch::data;

constexpr int64_t kSeed = 1;
constexpr int64_t kLogEvery = 50;  // steps

class SampleSet : public data::datasets::Dataset<SampleSet> {
 public:
  explicit SampleSet(Samples samples) : samples_(std::move(samples)) {}
  data::Example<> get(std::size_t index) override {
    const auto i = static_cast<int64_t>(index);
    return {samples_.input[i], samples_.target[i]};
  }
  torch::optional<std::size_t> size() const override {
    return static_cast<std::size_t>(samples_.input.size(0));
  }

 private:
  Samples samples_;
};

/// torch::data's RandomSampler, in the order that lightrun takes with this seed.
class SameOrder : public data::samplers::Sampler<> {
 public:
  explicit SameOrder(int64_t size) : size_(size) { reset({}); }

  void reset(torch::optional<std::size_t> /*new_size*/ = torch::nullopt) override {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(lightrun::data::mixed(kSeed, epoch_++));
    order_ = torch::randperm(size_, generator, torch::kInt64);
    next_ = 0;
  }
  torch::optional<std::vector<std::size_t>> next(std::size_t batch_size) override {
    if (next_ == size_) return torch::nullopt;
    const int64_t end = std::min(size_, next_ + static_cast<int64_t>(batch_size));
    const auto* first = order_.data_ptr<int64_t>();
    std::vector<std::size_t> batch(first + next_, first + end);
    next_ = end;
    return batch;
  }
  void save(torch::serialize::OutputArchive& /*archive*/) const override {}
  void load(torch::serialize::InputArchive& /*archive*/) override {}

 private:
  int64_t size_;
  int64_t epoch_ = -1;  // the loader's first epoch begins with a reset, too
  torch::Tensor order_;
  int64_t next_ = 0;
};

bool is_finite(const torch::Tensor& tensor) {
  return torch::isfinite(tensor).all().item<bool>();
}

/// What is done between backward and the optimizer's step.
class Features {
 public:
  explicit Features(const std::string& kind) : are_on_(kind == "features"), log_("metrics.csv") {}

  void apply(const std::vector<torch::Tensor>& parameters, const torch::Tensor& loss) {
    if (steps_ % kLogEvery == 0) log(parameters, loss);
    ++steps_;
    if (!are_on_) return;
    if (!is_finite(loss)) throw std::runtime_error("the loss is not finite");
    for (const auto& parameter : parameters) {
      if (!is_finite(parameter) || !is_finite(parameter.grad())) throw std::runtime_error("NaN");
    }
    torch::nn::utils::clip_grad_norm_(parameters, 1.0);
  }

 private:
  void log(const std::vector<torch::Tensor>& parameters, const torch::Tensor& loss) {
    log_ << steps_ << ',' << loss.item<double>();
    if (are_on_) {
      double squares = 0;
      for (const auto& parameter : parameters) {
        const auto norm = parameter.grad().norm().item<double>();
        squares += norm * norm;
        log_ << ',' << norm;
      }
      log_ << ',' << std::sqrt(squares);
    }
    log_ << '\n';
  }

  bool are_on_;
  std::ofstream log_;
  int64_t steps_ = 0;
};

/// Optimizer steps of one batch. The last loss.
class NetLoop {
 public:
  explicit NetLoop(const std::string& name) : net_(make_net(name)) {}
  nn::Sequential& net() { return net_; }

  template <typename Step>
  double train(const data::Example<>& batch, Step&& step) {
    return step(
        [&] { return torch::nn::functional::cross_entropy(net_->forward(batch.data), batch.target); });
  }

 private:
  nn::Sequential net_;
};

class LstmLoop {
 public:
  LstmNet& net() { return net_; }

  template <typename Step>
  double train(const data::Example<>& batch, Step&& step) {
    double last = 0;
    LstmNetImpl::State state;
    for (int64_t begin = 0; begin < batch.data.size(1); begin += 16) {
      last = step([&] {
        auto [logits, next] = net_->forward(batch.data.narrow(1, begin, 16), state);
        state = {std::get<0>(next).detach(), std::get<1>(next).detach()};
        return torch::nn::functional::cross_entropy(logits, batch.target.narrow(1, begin, 16).flatten());
      });
    }
    return last;
  }

 private:
  LstmNet net_;
};

template <typename Loop>
void train(Loop loop, const Workload& workload, const std::string& optimizer_name, Features features,
           Pacer pacer) {
  const auto parameters = loop.net()->parameters();
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  if (optimizer_name == "adam")
    optimizer = std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(1e-3));
  else
    optimizer = std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(1e-3).momentum(0.9));
  const int64_t size = workload.samples.input.size(0);
  auto loader =
      data::make_data_loader(SampleSet(workload.samples).map(data::transforms::Stack<>()), SameOrder(size),
                             data::DataLoaderOptions(static_cast<std::size_t>(workload.batch_size)));
  const auto step = [&](auto&& loss_of) {
    optimizer->zero_grad();
    const torch::Tensor loss = loss_of();
    loss.backward();
    features.apply(parameters, loss);
    optimizer->step();
    return loss.template item<double>();
  };
  loop.net()->train();
  while (true) {
    for (const auto& batch : *loader) {
      if (!pacer.go_on(loop.train(batch, step))) return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  if (std::getenv("LIGHTRUN_BENCH_TUNED") != nullptr) {
    mallopt(M_TRIM_THRESHOLD, 1 << 30);  // as lightrun does
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
  }
  const std::string name = argv[1];
  const Workload workload = make_workload(name);
  torch::manual_seed(kSeed);
  if (name == "lstm")
    train(LstmLoop(), workload, argv[2], Features(argv[3]), Pacer(std::stoll(argv[4])));
  else
    train(NetLoop(name), workload, argv[2], Features(argv[3]), Pacer(std::stoll(argv[4])));
  return 0;
}
