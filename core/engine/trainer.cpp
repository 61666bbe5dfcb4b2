#include "config/dump.hpp"
#include "config/resolve.hpp"
#include "engine/event_functions.hpp"
#include "engine/train.hpp"

#include <lightrun/error.hpp>
#include <lightrun/trainer.hpp>

#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

namespace lightrun {
namespace {

/// Whether callbacks have a hook for it.
bool has_hook(Event event) {
  const Audience who = event_audience(event);
  return who == Audience::both || who == Audience::callback;
}

}  // namespace

struct Trainer::State {
  std::vector<std::string> words;
  engine::Embedded embedded;
  std::unique_ptr<engine::EventFunctions> functions = std::make_unique<engine::EventFunctions>();
  std::optional<std::string> resume;
  bool quiet = false;
  bool is_over = false;
};

Trainer::Trainer(std::vector<std::string> words) : state_(std::make_unique<State>()) {
  state_->words = std::move(words);
}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

Trainer& Trainer::model(std::shared_ptr<Module> model) {
  state_->embedded.model = std::move(model);
  return *this;
}

Trainer& Trainer::on(Event event, std::function<void(Context&)> function) {
  if (!has_hook(event))
    throw UsageError("Trainer::on: " + std::string(event_name(event)) +
                     " is the model's own; callbacks have no hook for it");
  state_->functions->add(event, std::move(function));
  return *this;
}

Trainer& Trainer::add(std::unique_ptr<Callback> callback) {
  state_->embedded.callbacks.push_back(std::move(callback));
  return *this;
}

Trainer& Trainer::resume(std::string which) {
  state_->resume = std::move(which);
  return *this;
}

Trainer& Trainer::quiet(bool on) {
  state_->quiet = on;
  return *this;
}

Trainer::Result Trainer::fit() {
  if (std::exchange(state_->is_over, true))
    throw UsageError("Trainer::fit: a Trainer trains once; make another one");
  if (!state_->functions->empty()) state_->embedded.callbacks.push_back(std::move(state_->functions));
  std::vector<std::string> words = state_->words;
  if (state_->embedded.model) words.emplace_back("--model.plugin=embedded");
  config::Resolved resolved = config::resolve_words(words);
  engine::RunRequest request;
  request.spec = std::move(resolved.spec);
  request.resolved_config = config::dump(request.spec);
  request.command = state_->words;
  request.resume = state_->resume;
  request.quiet = state_->quiet;
  for (const std::string& warning : resolved.warnings) spdlog::warn("{}", warning);
  auto training = engine::train(request, std::move(state_->embedded));
  return {.completed = !training.signal,
          .reason = std::move(training.reason),
          .metrics = std::move(training.metrics),
          .run_dir = std::move(training.run_dir)};
}

}  // namespace lightrun
