#include "schedule/learning_rate.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

// The long lists of numbers are printed by Python's PyTorch (1.13), one for each count from 0, for base 1.
using namespace lightrun::schedule;

namespace {

using Rates = std::vector<double>;

/// The rates of as many counts as `expected` has, from 0, are these.
void check_rates(const Rates& expected, const std::function<double(int64_t)>& rate) {
  for (std::size_t count = 0; count < expected.size(); ++count) {
    CAPTURE(count);
    CHECK(rate(static_cast<int64_t>(count)) == Approx(expected[count]).epsilon(1e-8).margin(1e-12));
  }
}

/// One value of the metric, and what PyTorch's ReduceLROnPlateau knows and sets after it.
struct PlateauRow {
  double value;
  double best;
  int64_t bad;
  int64_t cooldown;
  double rate;
};

void check_plateau(const std::vector<PlateauRow>& rows, const PlateauRule& rule) {
  Plateau plateau;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    plateau = after(plateau, rows[i].value, rule);
    CHECK(plateau.best == rows[i].best);
    CHECK(plateau.bad == rows[i].bad);
    CHECK(plateau.cooldown == rows[i].cooldown);
    CHECK(reduced(1, plateau.reductions, rule) == Approx(rows[i].rate));
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("H11: step decay every 3 of 9 steps is Python's, not the C++ class's") {
  check_rates({1, 1, 1, .5, .5, .5, .25, .25, .25},
              [](int64_t count) { return step_decay(1, count, 3, 0.5); });
}

TEST_CASE("milestones count once they are reached") {
  CHECK(multi_step(1, 1, {2, 4}, 0.5) == 1);
  CHECK(multi_step(1, 2, {2, 4}, 0.5) == 0.5);
  CHECK(multi_step(1, 3, {2, 4}, 0.5) == 0.5);
  CHECK(multi_step(1, 4, {2, 4}, 0.5) == 0.25);
}

TEST_CASE("the exponential rate is base times gamma to the count") {
  CHECK(exponential(8, 0, 0.5) == 8);
  CHECK(exponential(8, 3, 0.5) == 1);
}

TEST_CASE("the cosine starts at the base, ends at eta_min and rises again") {
  check_rates({1, 0.9804226065, 0.9236067977, 0.8351141009, 0.7236067977, 0.6, 0.4763932023, 0.3648858991,
               0.2763932023, 0.2195773935, 0.2, 0.2195773935, 0.2763932023},
              [](int64_t count) { return cosine(1, count, 10, 0.2); });
}

TEST_CASE("the cosine with restarts begins again after t_0, and then after t_mult times as long") {
  check_rates({1, 0.8828427125, 0.6, 0.3171572875, 1, 0.8828427125, 0.6, 0.3171572875, 1, 0.8828427125, 0.6,
               0.3171572875, 1},
              [](int64_t count) { return cosine_restarts(1, count, 4, 1, 0.2); });
  check_rates({1, 0.75, 0.25, 1, 0.9330127019, 0.75, 0.5, 0.25, 0.06698729811, 1, 0.9829629131, 0.9330127019,
               0.8535533906, 0.75, 0.6294095226, 0.5},
              [](int64_t count) { return cosine_restarts(1, count, 3, 2, 0); });
  CHECK(cosine_restarts(1, std::numeric_limits<int64_t>::max(), 3, 2, 0) > 0);  // and it comes to an end
}

TEST_CASE("the linear rate goes from one factor to the other and stays there") {
  check_rates({0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5},
              [](int64_t count) { return linear(0.5, count, 0.25, 1, 6); });
  check_rates({1, 0.91, 0.82, 0.73, 0.64, 0.55, 0.46, 0.37, 0.28, 0.19, 0.1, 0.1, 0.1},
              [](int64_t count) { return linear(1, count, 1, 0.1, 10); });
}

TEST_CASE("the polynomial rate ends at 0 and stays there") {
  check_rates({1, 0.81, 0.64, 0.49, 0.36, 0.25, 0.16, 0.09, 0.04, 0.01, 0, 0, 0},
              [](int64_t count) { return polynomial(1, count, 10, 2); });
}

TEST_CASE("the constant factor holds for total_iters counts") {
  check_rates({0.5, 0.5, 0.5, 0.5, 0.5, 2, 2, 2, 2, 2, 2, 2},
              [](int64_t count) { return constant(2, count, 0.25, 5); });
}

TEST_CASE("one cycle is PyTorch's, along cosines and in straight lines, in two phases and in three") {
  OneCycleShape shape{.total_steps = 14, .div_factor = 10, .final_div_factor = 100};
  const auto rate = [&shape](int64_t count) { return one_cycle(1, count, shape); };
  check_rates({0.1, 0.2999933951, 0.7222075446, 0.9913533762, 0.9836637841, 0.9191250084, 0.811933156,
               0.6730098447, 0.516509763, 0.3583784705, 0.2147277283, 0.1001938959, 0.02644665437, 0.001},
              rate);
  shape.linear = true;
  check_rates({0.1, 0.38125, 0.6625, 0.94375, 0.9184489796, 0.8165102041, 0.7145714286, 0.6126326531,
               0.5106938776, 0.408755102, 0.3068163265, 0.204877551, 0.1029387755, 0.001},
              rate);
  shape.linear = false;
  shape.three_phase = true;
  check_rates(
      {0.1, 0.2999933951, 0.7222075446, 0.9913533762, 0.8681980515, 0.4622093551, 0.1342542104, 0.09799490219,
       0.08632483489, 0.06668986418, 0.04345541551, 0.02178718298, 0.006502645292, 0.001},
      rate);
  shape = {.total_steps = 15,
           .pct_start = 0.4,
           .linear = true,
           .div_factor = 4,
           .final_div_factor = 10,
           .three_phase = true};
  check_rates({0.25, 0.4, 0.55, 0.7, 0.85, 1, 0.85, 0.7, 0.55, 0.4, 0.25, 0.19375, 0.1375, 0.08125, 0.025},
              rate);
}

TEST_CASE("one cycle has PyTorch's defaults, and holds its last rate where PyTorch raises") {
  const OneCycleShape shape{.total_steps = 12};
  check_rates({0.04, 0.3497896542, 0.8792851591, 0.9944154355, 0.9330129698, 0.8117456539, 0.6473789977,
               0.4626371027, 0.2830609982, 0.1334775302, 0.03456698743, 4e-06, 4e-06, 4e-06},
              [&](int64_t count) { return one_cycle(1, count, shape); });
}

TEST_CASE("a way up of one step, where PyTorch divides by zero, starts at the top") {
  const OneCycleShape shape{.total_steps = 10, .pct_start = 0.1, .linear = true};
  CHECK(one_cycle(1, 0, shape) == 1);
  CHECK(one_cycle(1, 9, shape) == Approx(4e-6));
}

TEST_CASE("the warm-up's factor rises to 1 in a straight line") {
  check_rates({0.2, 0.4, 0.6, 0.8, 1, 1, 1}, [](int64_t count) { return warmed_up(count, 4, 0.2); });
  CHECK(warmed_up(0, 0, 0.01) == 1);
}

TEST_CASE("a plateau is PyTorch's: patience, cooldown, a NaN that is no better, the lowest rate") {
  check_plateau({{5, 5, 0, 0, 1},
                 {4, 4, 0, 0, 1},
                 {4, 4, 1, 0, 1},
                 {4, 4, 0, 2, 0.25},
                 {4, 4, 0, 1, 0.25},
                 {4, 4, 0, 0, 0.25},
                 {4, 4, 1, 0, 0.25},
                 {4, 4, 0, 2, 0.0625},
                 {3, 3, 0, 1, 0.0625},
                 {3, 3, 0, 0, 0.0625},
                 {kNan, 3, 1, 0, 0.0625},
                 {3, 3, 0, 2, 0.05},
                 {3, 3, 0, 1, 0.05},
                 {3, 3, 0, 0, 0.05},
                 {3, 3, 1, 0, 0.05},
                 {3, 3, 0, 2, 0.05},
                 {3, 3, 0, 1, 0.05},
                 {3, 3, 0, 0, 0.05}},
                {.factor = 0.25, .patience = 1, .threshold = 0.1, .cooldown = 2, .min_lr = 0.05});
}

TEST_CASE("a plateau of a metric that shall rise, by an absolute threshold, is PyTorch's") {
  check_plateau(
      {{1, 1, 0, 0, 1},
       {1.4, 1, 1, 0, 1},
       {1.6, 1.6, 0, 0, 1},
       {1.9, 1.6, 1, 0, 1},
       {2.2, 2.2, 0, 0, 1},
       {2.2, 2.2, 1, 0, 1},
       {2.2, 2.2, 0, 0, 0.5},
       {2.3, 2.2, 1, 0, 0.5},
       {2.8, 2.8, 0, 0, 0.5},
       {2.8, 2.8, 1, 0, 0.5},
       {2.8, 2.8, 0, 0, 0.25},
       {2.8, 2.8, 1, 0, 0.25}},
      {.higher_is_better = true, .factor = 0.5, .patience = 1, .threshold = 0.5, .relative = false});
}

TEST_CASE("a metric that begins with NaN or infinity has no best value yet") {
  const Plateau seen = after({}, kNan, {});
  CHECK(seen == Plateau{.bad = 1});
  CHECK(after(seen, std::numeric_limits<double>::infinity(), {}) == Plateau{.bad = 2});
  CHECK(after(seen, 1, {}) == Plateau{.best = 1.0});
}

TEST_CASE("a reduction that changes the rate by no more than eps is not made") {
  const PlateauRule rule{.factor = 0.5, .eps = 0.25};
  CHECK(reduced(1, 1, rule) == 0.5);
  CHECK(reduced(1, 2, rule) == 0.5);
  CHECK(reduced(1, 1'000'000'000'000, rule) == 0.5);
}
