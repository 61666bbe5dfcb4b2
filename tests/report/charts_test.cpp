#include "report/charts.hpp"

#include "support/catch.hpp"

using namespace lightrun::report;

namespace {

std::vector<std::string> titles(const std::vector<std::string>& metrics) {
  std::vector<std::string> all;
  for (const Chart& chart : plan_charts(metrics)) all.push_back(chart.title);
  return all;
}

}  // namespace

TEST_CASE("training and validation of one quantity share a chart") {
  const auto charts = plan_charts({"val_loss", "train_loss", "train_loss_epoch"});
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].title == "loss");
  CHECK((charts[0].lines == std::vector<Line>{{"train_loss", Role::train},
                                              {"train_loss_epoch", Role::train_epoch},
                                              {"val_loss", Role::val}}));
}

TEST_CASE("a metric's name says what it is of") {
  const auto reads = [](const std::string& metric, const std::string& quantity, Role role) {
    CAPTURE(metric);
    CHECK(meaning_of(metric).quantity == quantity);
    CHECK(meaning_of(metric).role == role);
  };
  reads("train_loss", "loss", Role::train);
  reads("train_loss_step", "loss", Role::train);
  reads("train/loss_epoch", "loss", Role::train_epoch);
  reads("val_acc", "acc", Role::val);
  reads("validation/acc", "acc", Role::val);
  reads("test_acc", "acc", Role::test);
  reads("loss", "loss", Role::train);
  reads("value_head", "value_head", Role::other);
  reads("val_", "val_", Role::other);
  reads("training", "training", Role::other);
}

TEST_CASE("losses come first, then metrics as they appear, then rates, norms and throughput") {
  CHECK(titles({"samples/s", "grad_2.0_norm_fc.weight", "grad_2.0_norm_total", "lr", "val_acc", "train_f1",
                "val_aux_loss", "train_acc"}) ==
        std::vector<std::string>{"aux_loss", "acc", "f1", "learning rate", "gradient norm", "throughput",
                                 "gradient norm of each parameter"});
}

TEST_CASE("several learning rates share a chart, and only norms of parameters are a detail") {
  const auto charts = plan_charts({"lr_0", "lr_1", "grad_2.0_norm_a", "grad_2.0_norm_b"});
  REQUIRE(charts.size() == 2);
  CHECK(charts[0].lines.size() == 2);
  CHECK_FALSE(charts[0].is_detail);
  CHECK(charts[1].lines.size() == 2);
  CHECK(charts[1].is_detail);
}
