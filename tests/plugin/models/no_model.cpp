#include <lightrun/lightrun.hpp>

namespace {

class Numbers : public lightrun::TensorDataset {
 public:
  static lightrun::ParamDecls parameters() { return {{"count", 4, "how many"}}; }
  explicit Numbers(const lightrun::Params& params)
      : TensorDataset(lightrun::Batch{{"x", torch::arange(params.get<int64_t>("count"))}}) {}
};

class Listener : public lightrun::Callback {
 public:
  explicit Listener(const lightrun::Params&) {}
  void on_train_start(lightrun::Context&) override {}
};

}  // namespace

LIGHTRUN_SOURCE(Numbers, "numbers", "The first whole numbers");
LIGHTRUN_CALLBACK(Listener, "numbers", "Listens to the training's start");
