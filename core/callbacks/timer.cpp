#include "callbacks/timer.hpp"

#include "support/duration.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace lightrun::callbacks {

double Timer::seconds() const {
  return before_ + std::chrono::duration<double>(Clock::now() - started_).count();
}

void Timer::look(Context& context) const {
  if (seconds() < rule_.duration) return;
  context.request_stop(fmt::format("timer: {} are over", support::duration_text(rule_.duration)));
}

void Timer::on_train_start(Context& context) {
  started_ = Clock::now();
  look(context);
}

void Timer::on_train_batch_end(Context& context) {
  if (!rule_.every_epoch) look(context);
}

void Timer::on_train_end(Context& /*context*/) {
  spdlog::info("timer: {} of training", support::duration_text(seconds()));
}

}  // namespace lightrun::callbacks
