// Parameters side by side in one memory: the same numbers as parameter by parameter, whatever comes in
// between.

#include "optim/flat_parameters.hpp"

#include "engine/tiny_run.hpp"
#include "optim/optimizer_state.hpp"
#include "support/catch.hpp"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>

using namespace lightrun;
using namespace lightrun::test;
using optim::FlatParameters;
using torch::optim::Optimizer;
using Tensors = std::vector<torch::Tensor>;

namespace {

Tensors some_parameters() {
  torch::manual_seed(3);
  return {torch::randn({5, 3}).requires_grad_(), torch::randn({3}).requires_grad_(),
          torch::randn({70}).requires_grad_(), torch::randn({2, 2, 2}, torch::kFloat64).requires_grad_(),
          torch::randn({4}, torch::kFloat64).requires_grad_()};
}

using Make = std::function<std::unique_ptr<Optimizer>(const Tensors&)>;

template <typename Kind, typename Options>
Make maker(const Options& options) {
  return [options](const Tensors& parameters) { return std::make_unique<Kind>(parameters, options); };
}

const std::vector<std::pair<std::string, Make>> kMakers = {
    {"sgd",
     maker<torch::optim::SGD>(torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.01).nesterov(true))},
    {"plain sgd", maker<torch::optim::SGD>(torch::optim::SGDOptions(0.1))},
    {"adam", maker<torch::optim::Adam>(torch::optim::AdamOptions(0.1).amsgrad(true))},
    {"adamw", maker<torch::optim::AdamW>(torch::optim::AdamWOptions(0.1).weight_decay(0.1))},
    {"rmsprop",
     maker<torch::optim::RMSprop>(torch::optim::RMSpropOptions(0.01).momentum(0.5).centered(true))},
    {"adagrad",
     maker<torch::optim::Adagrad>(torch::optim::AdagradOptions(0.1).initial_accumulator_value(0.5))}};

/// Some parameters and their optimizer.
struct Trained {
  explicit Trained(const Make& make) : parameters(some_parameters()), optimizer(make(parameters)) {}

  /// A step with gradients that follow from `number` and the weights; none for those `without` names.
  void step(int number, FlatParameters* flat, const std::vector<std::size_t>& without = {}) {
    torch::Tensor loss = torch::zeros({}, torch::kFloat64);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (std::ranges::count(without, i) == 0) loss = loss + ((parameters[i] - number).square().sum() * 0.1);
    }
    loss.backward();
    if (flat) flat->prepare();
    std::optional<FlatParameters::InPlace> in_place;
    if (flat) in_place.emplace(*flat);
    optimizer->step();
    optimizer->zero_grad();
  }

  [[nodiscard]] optim::OptimizerState state() const {
    optim::NamedTensors named;
    for (const auto& parameter : parameters) named.emplace_back(c10::str("p", named.size()), parameter);
    return optim::state_of(*optimizer, named);
  }

  Tensors parameters;
  std::unique_ptr<Optimizer> optimizer;
};

void check_equal(const Trained& flat, const Trained& plain) {
  for (std::size_t i = 0; i < plain.parameters.size(); ++i) {
    CAPTURE(i, flat.parameters[i], plain.parameters[i]);
    CHECK(torch::allclose(flat.parameters[i], plain.parameters[i], 1e-6, 1e-7));
  }
  const auto expected = plain.state();
  const auto state = flat.state();
  REQUIRE(state.parameters.size() == expected.parameters.size());
  for (const auto& [name, values] : expected.parameters) {
    const StateDict& found = state.parameters.at(name);
    CHECK(found.values().size() == values.values().size());
    for (const auto& [key, value] : values.values()) {
      CAPTURE(name, key);
      if (const auto* tensor = std::get_if<torch::Tensor>(&value))
        CHECK(torch::allclose(found.get<torch::Tensor>(key), *tensor, 1e-5, 1e-7));
      if (const auto* count = std::get_if<int64_t>(&value)) CHECK(found.get<int64_t>(key) == *count);
    }
  }
}

}  // namespace

TEST_CASE("flat parameters make the steps, and keep the state, that they make one by one") {
  for (const auto& [name, make] : kMakers) {
    CAPTURE(name);
    Trained flat(make);
    Trained plain(make);
    FlatParameters together(*flat.optimizer, {});
    for (int i = 0; i < 5; ++i) {
      flat.step(i, &together);
      plain.step(i, nullptr);
    }
    CHECK(together.joined() == 5);
    CHECK(together.tensors().size() == 2);  // one of each type
    const FlatParameters::StateApart apart(together);
    check_equal(flat, plain);
  }
}

TEST_CASE("parameters are joined as they have their first gradient, and with those of an equal past") {
  for (const auto& [name, make] : kMakers) {
    CAPTURE(name);
    Trained flat(make);
    Trained plain(make);
    FlatParameters together(*flat.optimizer, {});
    for (int i = 0; i < 6; ++i) {
      // Parameters 1 and 2 come two steps late: decay must not reach them before.
      const std::vector<std::size_t> without =
          i < 2 ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>();
      flat.step(i, &together, without);
      plain.step(i, nullptr, without);
      if (i == 1) CHECK(together.joined() == 2);
      if (i > 2) CHECK(together.joined() >= 4);
    }
    const FlatParameters::StateApart apart(together);
    check_equal(flat, plain);
  }
}

TEST_CASE("what others have of the parameters' memory stays theirs") {
  Trained flat(kMakers[2].second);
  const torch::Tensor view = flat.parameters[0].detach();
  const Tensors excluded = {flat.parameters[1]};
  FlatParameters together(*flat.optimizer, excluded);
  flat.step(1, &together);
  CHECK(together.joined() == 2);  // those of the other type
  CHECK(view.data_ptr() == flat.parameters[0].data_ptr());
  CHECK(view.equal(flat.parameters[0]));
}

TEST_CASE(
    "a parameter or a gradient that is given another memory puts all apart, with what the optimizer knows") {
  const auto changes = std::vector<std::function<void(torch::Tensor&)>>{
      [](torch::Tensor& parameter) { parameter.set_data(parameter.detach().clone()); },
      [](torch::Tensor& parameter) { parameter.mutable_grad() = parameter.grad().clone(); },
      [](torch::Tensor& parameter) { parameter.mutable_grad().reset(); }};
  for (std::size_t change = 0; change < changes.size(); ++change) {
    for (const auto& [name, make] : kMakers) {
      CAPTURE(name, change);
      Trained flat(make);
      Trained plain(make);
      FlatParameters together(*flat.optimizer, {});
      for (int i = 0; i < 4; ++i) {
        if (i == 2) {
          changes[change](flat.parameters[1]);
          changes[change](plain.parameters[1]);
        }
        flat.step(i, &together);
        plain.step(i, nullptr);
      }
      CHECK(together.joined() == 0);
      CHECK(together.is_over());
      check_equal(flat, plain);
    }
  }
}

TEST_CASE("flat parameters go on with the state of a checkpoint") {
  for (const auto& [name, make] : kMakers) {
    CAPTURE(name);
    Trained flat(make);
    Trained plain(make);
    for (int i = 0; i < 5; ++i) plain.step(i, nullptr);
    for (int i = 0; i < 3; ++i) flat.step(i, nullptr);  // the run before
    FlatParameters together(*flat.optimizer, {});
    for (int i = 3; i < 5; ++i) flat.step(i, &together);
    CHECK(together.joined() == 5);
    const FlatParameters::StateApart apart(together);
    check_equal(flat, plain);
  }
}

TEST_CASE(
    "an optimizer that looks at more than one entry, or would divide padding by zero, is not made flat") {
  const Tensors parameters = some_parameters();
  CHECK_FALSE(FlatParameters::can_be_of(torch::optim::LBFGS(parameters)));
  CHECK_FALSE(
      FlatParameters::can_be_of(torch::optim::Adam(parameters, torch::optim::AdamOptions(0.1).eps(0))));
  class MyAdam : public torch::optim::Adam {
    using Adam::Adam;
  };
  CHECK_FALSE(FlatParameters::can_be_of(MyAdam(parameters)));
  CHECK(FlatParameters::can_be_of(torch::optim::SGD(parameters, 0.1)));
}

TEST_CASE("a resumed run joins its parameters as they were joined, though they could all be now") {
  const Make& make = kMakers[0].second;  // SGD with momentum: after a step nobody sees who came late
  const std::vector<std::size_t> late = {1, 2};
  Trained whole(make);
  FlatParameters together(*whole.optimizer, {});
  whole.step(0, &together, late);
  for (int i = 1; i < 3; ++i) whole.step(i, &together);
  CHECK(together.layout().rows == std::vector<int64_t>{-1, 0, 0, 1, 1});

  Trained resumed(make);
  resumed.step(0, nullptr, late);
  resumed.step(1, nullptr);
  FlatParameters anew(*resumed.optimizer, {});
  anew.restore(together.layout());
  resumed.step(2, &anew);
  CHECK(anew.layout().rows == together.layout().rows);

  // Resumed at the step where they come: they have waited, and are not by themselves for good.
  Trained before(make);
  FlatParameters first(*before.optimizer, {});
  before.step(0, &first, late);
  CHECK(first.layout().rows == std::vector<int64_t>{-1, -2, -2, 0, 0});
  Trained then(make);
  then.step(0, nullptr, late);
  FlatParameters second(*then.optimizer, {});
  second.restore(first.layout());
  then.step(1, &second);
  CHECK(second.layout().rows == together.layout().rows);

  FlatParameters over(*resumed.optimizer, {});
  over.restore({.is_over = true, .rows = {}});
  resumed.step(3, &over);
  CHECK(over.joined() == 0);
}
