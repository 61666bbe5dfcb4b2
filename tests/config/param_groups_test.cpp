#include "config/configs.hpp"
#include "config/dump.hpp"
#include "support/catch.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

const std::string kAdamW =
    "optimizer: {type: adamw, groups: [{params: 'bias|norm', weight_decay: 0}, {params: w, lr: 2, eps: "
    "0.5}], "
    "lr: 0.25, amsgrad: true}\n";

AdamWSpec group_of(const RunSpec& spec, std::size_t i) {
  return std::get<AdamWSpec>(options_of(*spec.optimizer, spec.optimizer->groups.at(i)));
}

}  // namespace

TEST_CASE("a parameter group has the optimizer's options, but for its own") {
  const RunSpec spec = spec_of(kModel + kAdamW);
  REQUIRE(spec.optimizer->groups.size() == 2);
  CHECK(spec.optimizer->groups[0].params == "bias|norm");
  const AdamWSpec first = group_of(spec, 0);
  CHECK(first.weight_decay == 0);
  CHECK(first.lr == 0.25);
  CHECK(first.amsgrad);
  const AdamWSpec second = group_of(spec, 1);
  CHECK(second.weight_decay == 0.01);
  CHECK(second.lr == 2);
  CHECK(second.eps == 0.5);
}

TEST_CASE("the dump of a config has its groups, and means the same") {
  const std::string dumped = dump(spec_of(kModel + kAdamW));
  const RunSpec again = spec_of(dumped);
  CHECK(group_of(again, 1).eps == 0.5);
  CHECK(group_of(again, 1).lr == 2);
  CHECK(dump(again) == dumped);
}

TEST_CASE("a group follows its optimizer's rate, also where a flag changes it") {
  CHECK(group_of(spec_of(kModel + kAdamW, {"--lr", "0.5"}), 0).lr == 0.5);
}

TEST_CASE("what is wrong in a group is told with its place") {
  const auto said = [](const std::string& groups) {
    return problems_of(kModel + "optimizer: {type: adam, groups: " + groups + "}\n");
  };
  CHECK(said("[{params: a, weight_decy: 0}]") ==
        "a.yaml:2:46: optimizer.groups.0.weight_decy: unknown key (did you mean weight_decay?)");
  CHECK(said("[{params: a, lr: -1}]") == "a.yaml:2:50: optimizer.groups.0.lr: must be >= 0, got -1");
  CHECK(said("[{params: a, momentum: 0}]") ==
        "a.yaml:2:46: optimizer.groups.0.momentum: unknown key (a group of adam has params, lr, betas, eps, "
        "weight_decay, amsgrad)");
  CHECK(said("[{lr: 1}]").starts_with("a.yaml:2:34: optimizer.groups.0.params: missing: regular expression"));
  CHECK(said("[{params: '['}]")
            .starts_with("a.yaml:2:43: optimizer.groups.0.params: '[' is not a regular expression: "));
  CHECK(said("{params: a}") == "a.yaml:2:33: optimizer.groups: expected a list ([] for none), got a map");
  CHECK(said("[a]") == "a.yaml:2:34: optimizer.groups.0: expected a map with params and options, got 'a'");
}

TEST_CASE("lbfgs has no groups, and nesterov needs its momentum in each group") {
  CHECK(problems_of(kModel + "optimizer: {type: lbfgs, groups: [{params: a}]}\n")
            .starts_with("a.yaml:2:26: optimizer.groups: unknown key"));
  CHECK(problems_of(kModel + "optimizer: {type: sgd, nesterov: true, momentum: 0.9, groups: [{params: a, "
                             "momentum: 0}]}\n")
            .find("optimizer.groups.0.nesterov: needs momentum > 0 and dampening 0") != std::string::npos);
}
