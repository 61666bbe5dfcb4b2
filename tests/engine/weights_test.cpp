#include "state/weights.hpp"

#include "engine/tiny_run.hpp"
#include "state/misfit.hpp"
#include "support/catch.hpp"

#include <torch/nn/modules/linear.h>

using namespace lightrun;

namespace {

/// Encoder and decoder share one weight, as the two ends of a language model do.
struct Tied : torch::nn::Module {
  Tied() {
    in = register_module("in", torch::nn::Linear(torch::nn::LinearOptions(3, 4).bias(false)));
    out = register_module("out", torch::nn::Linear(4, 4));
    head = register_parameter("head", in->weight);
  }
  torch::nn::Linear in{nullptr}, out{nullptr};
  torch::Tensor head;
};

using Tensors = std::map<std::string, torch::Tensor>;

}  // namespace

TEST_CASE("a tied weight counts once, and is there under both names") {
  const Tied model;
  CHECK(state::parameter_count(model) == 3 * 4 + (4 * 4 + 4));
  const auto weights = state::weights_of(model);
  CHECK(weights.size() == 4);
  CHECK(std::ranges::count_if(weights, [&](const auto& each) { return each.second.is_same(model.head); }) ==
        2);
}

TEST_CASE("a misfit ends with what is wrong all through, and only then") {
  const auto w = torch::zeros({2});
  const Tensors model = {{"a.w", w}, {"b", w}};
  CHECK(state::misfit(model, model).empty());
  CHECK_THAT(
      state::misfit({{"module.a.w", w}, {"module.b", w}}, model),
      Catch::Matchers::EndsWith("every name in the file begins with 'module.', as DataParallel and "
                                "DistributedDataParallel save them: --strip-prefix module. leaves that out"));
  CHECK_THAT(state::misfit({{"w", w}}, {{"a.w", w}}),
             Catch::Matchers::Contains("every name in the model begins with 'a.'"));
  for (const Tensors& other : {Tensors{{"module.a.w", w}, {"b", w}}, Tensors{{"module.a.w", w}},
                               Tensors{{"xa.w", w}, {"xb", w}}, Tensors{}}) {
    CHECK_THAT(state::misfit(other, model), !Catch::Matchers::Contains("begins with"));
  }
}

TEST_CASE("where only the dtype differs, that is said once more, with what to do") {
  const auto w = torch::zeros({2});
  const auto n = torch::zeros({}, torch::kInt64);
  const auto in_double = w.to(torch::kFloat64);
  const Tensors model = {{"w", w}, {"n", n}};
  CHECK_THAT(state::misfit({{"w", in_double}, {"n", n}}, model),
             Catch::Matchers::Contains("only the dtype differs: Double in the file, Float in the model; "
                                       "trainer.precision: 64 makes the model Double, too; or in Python") &&
                 Catch::Matchers::Contains("tensor.to(torch.float32)"));
  for (const Tensors& other : {Tensors{{"w", in_double}, {"n", w}}, Tensors{{"w", in_double}},
                               Tensors{{"w", torch::zeros({3}, torch::kFloat64)}, {"n", n}}}) {
    CHECK_THAT(state::misfit(other, model), !Catch::Matchers::Contains("only the dtype"));
  }
}
