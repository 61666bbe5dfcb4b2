#include "support/run_header.hpp"

#include "support/elide.hpp"
#include "support/facts.hpp"
#include "support/quantity.hpp"
#include "support/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace lightrun::support {
namespace {

[[nodiscard]] std::string model_text(const RunInfo& info) {
  return info.plugin_path.empty() ? info.model_name
                                  : fmt::format("{}  ({})", info.model_name, info.plugin_path);
}

/// "cpu, seed 7"
[[nodiscard]] std::string device_text(const RunInfo& info) {
  return fmt::format("{}, seed {}", fmt::join(info.devices, ", "), info.seed);
}

[[nodiscard]] std::string size_text(const ModelSize& model) {
  std::string all = fmt::format("{} ({})", grouped_text(model.count), bytes_text(model.bytes));
  if (model.trainable_count == model.count) return all;
  return fmt::format("{}, {} trainable", all, grouped_text(model.trainable_count));
}

/// "1,257 samples, batch size 32, 29 of 100 batches (limit_train_batches)".
[[nodiscard]] std::string data_text(const std::optional<int64_t>& samples,
                                    const std::optional<int64_t>& batch_size,
                                    const std::optional<int64_t>& batches,
                                    const std::optional<int64_t>& available, std::string_view limit) {
  std::string text = samples ? counted(*samples, "sample", "samples") : "a stream";
  if (batch_size) text += fmt::format(", batch size {}", grouped_text(*batch_size));
  if (!batches) return text;
  if (available == batches) return text + fmt::format(", {}", counted(*batches, "batch", "batches"));
  if (available)
    return text + fmt::format(", {} of {} ({})", grouped_text(*batches),
                              counted(*available, "batch", "batches"), limit);
  return text + fmt::format(", {} ({})", counted(*batches, "batch", "batches"), limit);
}

[[nodiscard]] std::string validation_text(const RunInfo& info) {
  if (info.val_batches == 0) return "none";
  const bool own_limit = info.limited_by.empty() || info.limited_by == "limit_train_batches";
  std::string text = data_text(info.val_samples, std::nullopt, info.val_batches, info.val_batches_available,
                               own_limit ? "limit_val_batches" : info.limited_by);
  if (info.val_check_batches && info.val_check_batches != info.train_batches) {
    text += fmt::format(", every {}", counted(*info.val_check_batches, "batch", "batches"));
  }
  return text;
}

/// "20 batches x 10 epochs = 200 steps", or how else the steps come about.
[[nodiscard]] std::string steps_text(const RunInfo& info) {
  const auto epochs = planned_epochs(info);
  const int64_t window = info.accumulate_grad_batches;
  const std::string steps = info.total_steps ? counted(*info.total_steps, "step", "steps") : "";
  if (info.train_batches && info.total_steps && window == 1 && epochs &&
      *info.train_batches * *epochs == *info.total_steps)
    return fmt::format("{} x {} = {}", counted(*info.train_batches, "batch", "batches"),
                       counted(*epochs, "epoch", "epochs"), steps);
  std::string text = steps.empty() ? "" : fmt::format("{}: ", steps);
  text += !epochs ? "no end of epochs"
                  : fmt::format("{}{}", steps.empty() ? "up to " : "", counted(*epochs, "epoch", "epochs"));
  if (info.train_batches) text += fmt::format(" of {}", counted(*info.train_batches, "batch", "batches"));
  if (window > 1) text += fmt::format(", one every {} batches", grouped_text(window));
  if (info.max_steps) text += fmt::format(", max_steps {}", grouped_text(*info.max_steps));
  return text;
}

[[nodiscard]] std::string shape_text(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace

std::optional<int64_t> planned_epochs(const RunInfo& info) {
  if (!info.total_batches || info.train_batches.value_or(0) <= 0) return info.max_epochs;
  const int64_t begun = (*info.total_batches + *info.train_batches - 1) / *info.train_batches;
  return std::min(begun, info.max_epochs.value_or(begun));
}

std::vector<std::string> run_header(const RunInfo& info, const ModelSize& model, const Style& style,
                                    std::optional<int> width) {
  Facts facts(style, width);
  facts.add("model", model_text(info), Facts::Tone::bold);
  facts.add("parameters", size_text(model));
  facts.add(info.devices.size() == 1 ? "device" : "devices", device_text(info));
  facts.add("training", data_text(info.train_samples, info.batch_size, info.train_batches,
                                  info.train_batches_available, info.limited_by));
  facts.add("validation", validation_text(info));
  for (const std::string& optimizer : info.optimizers) facts.add("optimizer", optimizer);
  facts.add("steps", steps_text(info));
  if (!info.resumed_from.empty()) facts.add("resumed", info.resumed_from + info.resumed_at);
  facts.add("run folder", info.run_dir.empty() ? "none, nothing is written" : info.run_dir);
  return facts.lines();
}

std::vector<std::string> parameter_table(const ModelSize& model, std::size_t max_rows, const Style& style,
                                         std::optional<int> width) {
  Table table({{"parameter"}, {"shape"}, {"count", Table::Align::right}, {"trainable"}});
  // One row that says "and 1 more" would take the place of that one.
  const std::size_t shown = model.rows.size() <= max_rows + 1 ? model.rows.size() : max_rows;
  for (const ParameterRow& row : std::span(model.rows).first(shown))
    table.add_row({row.name, shape_text(row.shape), grouped_text(row.count), row.trainable ? "yes" : "no"});
  if (shown < model.rows.size())
    table.add_row(
        {fmt::format("... and {} more", grouped_text(static_cast<int64_t>(model.rows.size() - shown)))});
  table.add_row({"total", "", grouped_text(model.count)});
  std::vector<std::string> lines = table.lines();
  if (width) {
    for (std::string& line : lines) line = elide(line, static_cast<std::size_t>(std::max(*width, 1)));
  }
  lines.front() = style.dim(lines.front());
  return lines;
}

}  // namespace lightrun::support
