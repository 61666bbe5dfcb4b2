#include "callbacks/summary.hpp"

#include "support/duration.hpp"
#include "support/run_header.hpp"

#include <lightrun/module.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace lightrun::callbacks {
namespace {

constexpr int kMinTableRows = 3;
constexpr int kMaxTableRows = 20;
/// The table's own (3), an epoch (1), the summary (5), three empty ones and the prompt: with the header all
/// of it fits a screen.
constexpr int kOtherLines = 13;

[[nodiscard]] support::ModelSize size_of(const Module& model) {
  support::ModelSize size;
  std::set<const void*> seen;
  for (const auto& item : model.named_parameters()) {
    const torch::Tensor& tensor = item.value();
    size.rows.push_back({.name = item.key(),
                         .shape = tensor.sizes().vec(),
                         .count = tensor.numel(),
                         .trainable = tensor.requires_grad()});
    if (!seen.insert(tensor.unsafeGetTensorImpl()).second) continue;
    size.count += tensor.numel();
    size.bytes += tensor.numel() * static_cast<int64_t>(tensor.element_size());
    if (tensor.requires_grad()) size.trainable_count += tensor.numel();
  }
  return size;
}

}  // namespace

Summary::Summary(support::LinePrinter& printer, Options options)
    : printer_(printer), options_(std::move(options)), best_(options_.higher_is_better) {}

void Summary::on_pretrain_routine_start(Context& context) {
  if (!options_.prints) return;
  const support::Style style(printer_.terminal().color);
  const support::ModelSize size = size_of(context.model());
  const auto header = support::run_header(context.info(), size, style, screen_width());
  for (const std::string& line : header) printer_.line(line);
  has_header_ = true;
  train_start_ = train_end_ = Clock::now();
  printer_.line("");
  if (!options_.has_table) return;
  int rows = kMaxTableRows;
  if (printer_.terminal().interactive)
    rows = std::clamp(printer_.height() - static_cast<int>(header.size()) - kOtherLines, kMinTableRows,
                      kMaxTableRows);
  for (const std::string& line :
       support::parameter_table(size, static_cast<std::size_t>(rows), style, screen_width()))
    printer_.line(line);
  printer_.line("");
}

void Summary::on_train_start(Context& /*context*/) {
  train_start_ = train_end_ = Clock::now();
}

void Summary::on_train_batch_end(Context& context) {
  if (!failed_) samples_ += context.batch().size();
}

void Summary::on_validation_start(Context& /*context*/) {
  validation_start_ = Clock::now();
}

void Summary::on_validation_end(Context& context) {
  validation_time_ += Clock::now() - validation_start_;
  watch(context);
}

void Summary::on_train_epoch_end(Context& context) {
  if (failed_) return;
  const auto batches = context.info().train_batches;
  if (!batches || context.batch_idx() + 1 >= *batches) epochs_ = context.epoch() + 1;
  watch(context);
}

void Summary::on_train_end(Context& /*context*/) {
  train_end_ = Clock::now();
}

void Summary::on_exception(Context& /*context*/) {
  failed_ = true;
  train_end_ = Clock::now();
}

void Summary::teardown(Context& context) {
  if (!has_header_) return;
  printer_.line("");
  const support::Style style(printer_.terminal().color);
  for (const std::string& line : support::run_summary(summary(context), style, screen_width()))
    printer_.line(line);
}

/// Of a screen, else nothing.
std::optional<int> Summary::screen_width() const {
  return printer_.terminal().interactive ? std::optional(printer_.width()) : std::nullopt;
}

void Summary::watch(const Context& context) {
  if (failed_) return;
  if (const auto value = context.metric(options_.monitor)) best_.add(*value, context.epoch());
}

void Summary::save_state(StateDict& state) const {
  state.set("epochs", epochs_);
  if (!best_.best()) return;
  state.set("best", best_.best()->value);
  state.set("best_epoch", best_.best()->epoch);
}

void Summary::load_state(const StateDict& state) {
  epochs_ = state.get<int64_t>("epochs");
  if (state.contains("best")) best_.add(state.get<double>("best"), state.get<int64_t>("best_epoch"));
}

support::RunSummary Summary::summary(const Context& context) const {
  support::RunSummary result = {
      .stop_reason = context.stop_reason(),
      .epochs = epochs_,
      .steps = context.global_step(),
      .seconds = support::seconds(train_end_ - train_start_),
      .samples = samples_,
      .training_seconds = support::seconds(train_end_ - train_start_ - validation_time_),
      .monitor = options_.monitor,
      .best = best_.best(),
      .run_dir = context.info().run_dir};
  if (context.info().checkpoint_dir.empty()) return result;
  for (const char* name : {"last.ckpt", "best.ckpt"}) {
    const auto file = std::filesystem::path(context.info().checkpoint_dir) / name;
    std::error_code unreadable;  // as good as absent here
    if (std::filesystem::exists(file, unreadable)) result.checkpoint = file.string();
  }
  return result;
}

}  // namespace lightrun::callbacks
