#include "engine/file_commands.hpp"

#include "state/checkpoint.hpp"
#include "state/python_weights.hpp"
#include "state/safetensors.hpp"
#include "state/weights.hpp"
#include "support/atomic_file.hpp"
#include "support/line_printer.hpp"
#include "support/quantity.hpp"
#include "support/table.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

namespace lightrun::engine {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string place_text(const state::RunState& run) {
  const std::string where =
      run.epoch_done
          ? fmt::format("after epoch {}", run.epoch)
          : fmt::format("in epoch {}, {} of it done", run.epoch,
                        support::counted(run.epoch_batches + (run.trained ? 1 : 0), "batch", "batches"));
  return fmt::format("{} (counted from 0); step {}, {} and {} in all", where,
                     support::grouped_text(run.steps_done()),
                     support::counted(run.batches_done(), "batch", "batches"),
                     support::counted(run.samples_seen, "sample", "samples"));
}

std::string metrics_text(const state::MetricValues& metrics) {
  std::string text;
  for (const auto& [name, value] : metrics)
    text += fmt::format("{}{} {}", text.empty() ? "" : "  ", name, support::value_text(value));
  return text.empty() ? "none" : text;
}

std::string optimizer_text(const optim::OptimizerState& optimizer) {
  const StateDict& options = optimizer.groups.front().options;
  std::string text = options.get<std::string>("kind");
  if (options.contains("lr")) text += ", lr " + support::value_text(options.get<double>("lr"));
  return text +
         fmt::format(", state of {}", support::counted(static_cast<int64_t>(optimizer.parameters.size()),
                                                       "parameter", "parameters"));
}

Lines checkpoint_lines(const state::Checkpoint& checkpoint) {
  Lines lines = {{"file", "a checkpoint of lightrun; its checksum holds"},
                 {"model", checkpoint.model},
                 {"run", checkpoint.run_id},
                 {"where", place_text(checkpoint.run)},
                 {"metrics", metrics_text(checkpoint.run.metrics.latest)}};
  if (checkpoint.run.window.batches > 0) {
    lines.emplace_back("window", fmt::format("open, with {}", support::counted(checkpoint.run.window.batches,
                                                                               "batch", "batches")));
  }
  for (const auto& optimizer : checkpoint.optimizers)
    lines.emplace_back("optimizer", optimizer_text(optimizer));
  for (const auto& [key, values] : checkpoint.callbacks) {
    if (!values.contains("best_file")) continue;
    lines.emplace_back("best", fmt::format("{} ({} {})", values.get<std::string>("best_file"), key,
                                           support::value_text(values.get<double>("best_value"))));
  }
  std::string environment;
  for (const auto& [name, value] : checkpoint.environment)
    environment += fmt::format("{}{} {}", environment.empty() ? "" : ", ", name, value);
  lines.emplace_back("made with", environment);
  return lines;
}

Lines lines_about(const fs::path& path) {
  if (state::is_zip_file(path)) return {{"file", "weights saved by Python's torch.save"}};
  const auto header = state::read_safetensors_header(path);
  if (header.metadata.contains("lightrun.format")) return checkpoint_lines(state::read_checkpoint(path));
  Lines lines = {{"file", "a safetensors file"}};
  for (const auto& [name, value] : header.metadata) lines.emplace_back(name, value);
  return lines;
}

std::string shape_text(const torch::Tensor& tensor) {
  return c10::str(tensor.sizes());
}

void print_tensors(const std::map<std::string, torch::Tensor>& weights, support::LinePrinter& printer) {
  using Align = support::Table::Align;
  support::Table table({{"tensor"}, {"shape"}, {"type"}, {"numbers", Align::right}});
  int64_t numbers = 0;
  int64_t bytes = 0;
  for (const auto& [name, tensor] : weights) {
    table.add_row(
        {name, shape_text(tensor), toString(tensor.scalar_type()), support::grouped_text(tensor.numel())});
    numbers += tensor.numel();
    bytes += static_cast<int64_t>(tensor.nbytes());
  }
  for (const std::string& line : table.lines()) printer.line(line);
  printer.line("");
  printer.line(fmt::format("{}, {} ({})",
                           support::counted(static_cast<int64_t>(weights.size()), "tensor", "tensors"),
                           support::counted(numbers, "number", "numbers"), support::bytes_text(bytes)));
}

state::NamedTensors in_order(const std::map<std::string, torch::Tensor>& weights) {
  return {weights.begin(), weights.end()};
}

}  // namespace
}  // namespace lightrun::engine

int lightrun_inspect(const lightrun::engine::FileRequest& request) {
  using namespace lightrun;
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  const auto weights = state::read_weights(request.file);
  printer.line(request.file);
  for (const auto& [name, text] : engine::lines_about(request.file))
    printer.line(fmt::format("  {:<11}{}", name, text));
  printer.line("");
  engine::print_tensors(weights, printer);
  return 0;
}

int lightrun_export(const lightrun::engine::FileRequest& request) {
  using namespace lightrun;
  const std::filesystem::path to = request.to;
  const auto weights = state::read_weights(request.file);
  if (to.extension() == ".safetensors") {
    support::write_file_atomically(to, [&](std::ostream& out) {
      state::write_safetensors(out, engine::in_order(weights), {{"format", "pt"}}, state::Checksum::none);
    });
  } else if (to.extension() == ".pt" || to.extension() == ".pth") {
    state::write_python_state_dict(to, engine::in_order(weights));
  } else {
    throw UsageError("lightrun export: --to " + request.to +
                     ": a name that ends in .safetensors or .pt says what to write");
  }
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  printer.line(fmt::format("{}: {}", request.to,
                           support::counted(static_cast<int64_t>(weights.size()), "tensor", "tensors")));
  return 0;
}
