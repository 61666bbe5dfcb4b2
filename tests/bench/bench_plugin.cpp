// The benchmark's nets as a lightrun model, and the callback that times it.

#include "pacer.hpp"
#include "workloads.hpp"

#include <lightrun/lightrun.hpp>

#include <memory>

namespace lightrun::bench {
namespace {

/// A plain net under torch::nn's cross entropy.
class NetModel : public Module {
 public:
  static ParamDecls parameters() { return {ParamDecl("workload", "tiny", "which net and samples")}; }
  explicit NetModel(const Params& params)
      : name_(params.get<std::string>("workload")), net_(make_net(name_)) {
    register_module("net", net_);
  }

  StepResult training_step(const Batch& batch, const StepInfo& /*info*/) override {
    return torch::cross_entropy_loss(net_->forward(batch["input"]), batch["target"]);
  }

  DataLoader train_dataloader() override {
    const Workload workload = make_workload(name_);
    DataLoader loader(std::make_shared<TensorDataset>(
        Batch{{"input", workload.samples.input}, {"target", workload.samples.target}}));
    loader.batch_size = workload.batch_size;
    return loader;
  }

 private:
  std::string name_;
  nn::Sequential net_;
};

class LstmModel : public Module {
 public:
  explicit LstmModel(const Params& /*params*/) { register_module("net", net_); }

  StepResult training_step(const Batch& batch, const StepInfo& info) override {
    LstmNetImpl::State before;
    if (info.hiddens.isTuple()) {
      const auto& parts = info.hiddens.toTupleRef().elements();
      before = {parts[0].toTensor(), parts[1].toTensor()};
    }
    const auto [logits, state] = net_->forward(batch["input"], before);
    return {torch::cross_entropy_loss(logits, batch["target"].flatten()),
            c10::ivalue::Tuple::create({std::get<0>(state), std::get<1>(state)})};
  }

  DataLoader train_dataloader() override {
    const Workload workload = make_workload("lstm");
    DataLoader loader(std::make_shared<TensorDataset>(
        Batch{{"input", workload.samples.input}, {"target", workload.samples.target}}));
    loader.batch_size = workload.batch_size;
    return loader;
  }

 private:
  LstmNet net_;
};

class Pace : public Callback {
 public:
  static ParamDecls parameters() { return {ParamDecl("batches", 100, "in a round").range(1, 1000000)}; }
  explicit Pace(const Params& params) : pacer_(params.get<int64_t>("batches")) {}

  void on_train_batch_end(Context& context) override {
    if (!pacer_.go_on(context.metric("train_loss").value_or(0)))
      context.request_stop("the benchmark is over");
  }

 private:
  Pacer pacer_;
};

}  // namespace
}  // namespace lightrun::bench

using lightrun::bench::LstmModel;
using lightrun::bench::NetModel;
using lightrun::bench::Pace;

LIGHTRUN_MODEL(NetModel, "bench_net", "A net of the benchmark without a state");
LIGHTRUN_MODEL(LstmModel, "bench_lstm", "The benchmark's LSTM");
LIGHTRUN_CALLBACK(Pace, "pace", "Times rounds of batches for the benchmark");
