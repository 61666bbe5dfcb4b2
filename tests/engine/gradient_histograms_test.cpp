#include "engine/tiny_run.hpp"
#include "loggers/logger.hpp"
#include "support/catch.hpp"

#include <map>

using namespace lightrun;
using test::Linear;

namespace {

/// Takes histograms of every second step.
class Wanting : public loggers::Logger {
 public:
  explicit Wanting(std::map<int64_t, loggers::Histograms>& kept) : kept_(kept) {}
  void log_metrics(int64_t /*step*/, int64_t /*epoch*/, double /*seconds*/,
                   const Metrics& /*metrics*/) override {}
  bool wants_histograms(int64_t step) const override { return step % 2 == 1; }
  void log_histograms(int64_t step, const loggers::Histograms& histograms) override {
    kept_[step] = histograms;
  }
  void flush() override {}
  void finalize(const std::string& /*status*/) override {}

 private:
  std::map<int64_t, loggers::Histograms>& kept_;
};

std::map<int64_t, loggers::Histograms> histograms_of(const std::vector<std::vector<double>>& gradients,
                                                     config::TrainerSpec trainer) {
  std::map<int64_t, loggers::Histograms> kept;
  auto run = test::make_run(make_module<Linear>(gradients), trainer);
  run->loggers.push_back(std::make_unique<Wanting>(kept));
  engine::fit(*run);
  return kept;
}

}  // namespace

TEST_CASE("a logger that wants histograms has one of each gradient, of the steps it wants") {
  const auto kept = histograms_of({{9, 9, 9, 9}, {-2, 0, 0, 3}, {9, 9, 9, 9}}, {.max_epochs = 1});
  REQUIRE(kept.size() == 1);
  REQUIRE(kept.at(1).size() == 1);
  const loggers::Histogram& histogram = kept.at(1).at("gradients/w");
  CHECK(histogram.min == -2);
  CHECK(histogram.max == 3);
  CHECK(histogram.num == 4);
  CHECK(histogram.sum == 1);
  CHECK(histogram.sum_squares == 13);
  REQUIRE(histogram.limits.size() == histogram.counts.size());
  // Each bucket that is filled has its values between its lower end and below its upper one.
  std::map<double, double> upper_ends;
  for (std::size_t i = 1; i < histogram.counts.size(); ++i) {
    if (histogram.counts[i] == 0) continue;
    const double value = histogram.limits[i] < 0 ? -2 : histogram.limits[i] < 1 ? 0 : 3;
    CHECK(histogram.limits[i - 1] <= value);
    CHECK(value < histogram.limits[i]);
    upper_ends[value] = histogram.counts[i];
  }
  CHECK(upper_ends == std::map<double, double>{{-2, 1}, {0, 2}, {3, 1}});
}

TEST_CASE("a histogram is of the gradient as it is gathered, before it is clipped") {
  const auto kept = histograms_of(
      {{1}, {2}, {3}, {6}}, {.max_epochs = 1, .accumulate_grad_batches = {{0, 2}}, .gradient_clip_val = 1});
  REQUIRE(kept.size() == 1);  // of the second step
  CHECK(kept.at(1).at("gradients/w").sum == 4.5);
}

TEST_CASE("what is not finite is in no histogram") {
  const auto kept = histograms_of({{1, 1, 1}, {test::kNan, test::kInf, 2}}, {.max_epochs = 1});
  CHECK(kept.at(1).at("gradients/w").num == 1);
  CHECK(kept.at(1).at("gradients/w").sum == 2);
  CHECK(histograms_of({{1}, {test::kNan}}, {.max_epochs = 1}).empty());
}
