#pragma once

#include "schedule/learning_rate.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lightrun::state {

/// The open accumulation window.
struct Window {
  int64_t batches = 0;            ///< gone into it so far; 0: none is open
  double divisor = 1;             ///< what each loss was divided by already
  std::vector<int64_t> gathered;  ///< of each optimizer: batches that brought it gradients
  std::vector<double>
      weights;  ///< of each optimizer: sum of the loss weights gathered; 0: its losses have none
};

/// How far one optimizer's LR schedule has come.
struct ScheduleState {
  int64_t steps = 0;          ///< of the optimizer
  int64_t count = 0;          ///< how often it has advanced
  schedule::Plateau plateau;  ///< of one that watches a metric
  int64_t metric_seen = 0;    ///< which value of that metric it has seen last, counted by the metric store
};

/// All that a resumed run must know beside the tensors. Progress kept anywhere else is lost at a resume.
struct RunState {
  int64_t epoch = 0;
  int64_t batch_idx = 0;    ///< within the epoch; outside its batches, the last one seen
  int64_t global_step = 0;  ///< optimizer windows completed
  int64_t batches_seen = 0;
  int64_t samples_seen = 0;
  Window window;
  std::vector<ScheduleState> schedules;  ///< of each optimizer
};

/// Every field with its name, once; saving, printing and comparing go through this. `visit` is called with
/// (name, value&).
template <typename State, typename Visit>
void for_each_field(State& state, Visit&& visit) {
  visit(std::string_view("epoch"), state.epoch);
  visit(std::string_view("batch_idx"), state.batch_idx);
  visit(std::string_view("global_step"), state.global_step);
  visit(std::string_view("batches_seen"), state.batches_seen);
  visit(std::string_view("samples_seen"), state.samples_seen);
  visit(std::string_view("window_batches"), state.window.batches);
  visit(std::string_view("window_divisor"), state.window.divisor);
  visit(std::string_view("window_gathered"), state.window.gathered);
  visit(std::string_view("window_weights"), state.window.weights);
  visit(std::string_view("schedules"), state.schedules);
}

}  // namespace lightrun::state
