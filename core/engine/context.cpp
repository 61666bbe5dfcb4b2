#include "engine/run.hpp"

#include <lightrun/context.hpp>
#include <lightrun/error.hpp>

#include <algorithm>

namespace lightrun {

Stage Context::stage() const {
  return impl_->run.stage;
}
int64_t Context::epoch() const {
  return impl_->run.state.epoch;
}
int64_t Context::batch_idx() const {
  return impl_->run.state.batch_idx;
}
int64_t Context::val_batch_idx() const {
  return impl_->run.val_batch_idx;
}
int64_t Context::global_step() const {
  return impl_->run.state.global_step;
}
int64_t Context::steps_done() const {
  return impl_->run.state.steps_done();
}
bool Context::epoch_is_cut_short() const {
  return impl_->run.epoch_is_cut_short;
}
int64_t Context::batches_seen() const {
  return impl_->run.state.batches_seen;
}

const Batch& Context::batch() const {
  if (!impl_->run.batch) throw RunError("there is no batch outside of a batch's hooks");
  return *impl_->run.batch;
}

Module& Context::model() const {
  return *impl_->run.model;
}
const RunInfo& Context::info() const {
  return impl_->run.info;
}
const Metrics& Context::metrics() const {
  return impl_->run.metrics.latest();
}
int64_t Context::metric_updates(std::string_view name) const {
  return impl_->run.metrics.times_published(name);
}
std::vector<std::string> Context::metric_names() const {
  return impl_->run.metrics.names();
}
bool Context::interrupted() const {
  return impl_->run.interrupted();
}
const Metrics& Context::progress_bar_metrics() const {
  return impl_->run.metrics.progress_bar();
}

std::optional<double> Context::metric(std::string_view name) const {
  const auto found = metrics().find(name);
  return found == metrics().end() ? std::nullopt : std::optional(found->second);
}

std::vector<double> Context::learning_rates() const {
  return impl_->run.learning_rates();
}
const std::string& Context::stop_reason() const {
  return impl_->run.stop_reason;
}

void Context::request_stop(std::string reason) {
  if (!impl_->run.requests.stop) impl_->run.requests.stop = std::move(reason);
}

void Context::skip_epoch() {
  const std::string_view hook = impl_->run.bus->last();
  if (hook != event_name(Event::on_batch_start) && hook != event_name(Event::on_train_batch_start)) {
    throw RunError("skip_epoch() can be asked for in on_batch_start and on_train_batch_start only");
  }
  impl_->run.requests.skip_epoch = true;
}

void Context::request_save(std::string name, std::vector<std::string> replaces) {
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
    throw RunError("request_save(\"" + name + "\"): the name of a checkpoint is a plain file name");
  }
  auto& saves = impl_->run.requests.saves;
  auto found = std::ranges::find(saves, name, &engine::SaveRequest::name);
  if (found == saves.end()) found = saves.insert(saves.end(), {.name = std::move(name)});
  found->replaces.insert(found->replaces.end(), replaces.begin(), replaces.end());
}

void Context::log(std::string_view name, double value, const LogOptions& options) {
  impl_->run.metrics.log(name, value, options);
}

}  // namespace lightrun
