#include "config/fields.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace lightrun::config {

namespace {

/// What the run itself writes in its folder.
constexpr std::array<std::string_view, 4> kTaken = {"checkpoints", "config.yaml", "log.txt", "run.lock"};

/// "" of a path that a logger can have.
std::string wrong_in_path(const std::string& path) {
  if (path.empty()) return "must not be empty";
  if (has_control_character(path)) return "must be on one line, without control characters";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = std::string_view(path).substr(begin, end - begin);
    if (name.empty() || name == "." || name == "..")
      return "must be a path in the run's folder, such as metrics/train, without . and ..";
    if (begin == 0 && std::ranges::find(kTaken, name) != kTaken.end())
      return fmt::format("must be another name: the run has its own {}", name);
    begin = end + 1;
  }
  return "";
}

Codec<std::string> path_in_run() {
  auto codec = text();
  codec.type = "a path in the run's folder";
  codec.range = "without . and ..";
  codec.read = [type = codec.type](const Value& value, const Report& report) -> std::optional<std::string> {
    const std::string wrong =
        value.kind == Value::Kind::scalar ? wrong_in_path(value.text) : expected(type, value);
    if (wrong.empty()) return value.text;
    report(value.mark, value.kind == Value::Kind::scalar && !value.text.empty()
                           ? fmt::format("{}, got {}", wrong, value.shown())
                           : wrong);
    return std::nullopt;
  };
  return codec;
}

}  // namespace

std::string output_path(const LoggerSpec& logger) {
  if (const auto* tensorboard = std::get_if<TensorboardLoggerSpec>(&logger)) return tensorboard->log_dir;
  if (const auto* jsonl = std::get_if<JsonlLoggerSpec>(&logger)) return jsonl->file;
  return std::get<CsvLoggerSpec>(logger).file;
}

Block describe(CsvLoggerSpec& csv) {
  return {.type = "csv",
          .help = "A table: one line a step, one column a metric",
          .fields = {setting("file", csv.file, path_in_run(), "Where it is, in the run's folder")}};
}

Block describe(JsonlLoggerSpec& jsonl) {
  return {.type = "jsonl",
          .help = "JSON lines: one object a step, with what was logged at it",
          .fields = {setting("file", jsonl.file, path_in_run(), "Where it is, in the run's folder")}};
}

Block describe(TensorboardLoggerSpec& tensorboard) {
  return {
      .type = "tensorboard",
      .help = "Event files that TensorBoard shows: scalars, the config, histograms of gradients",
      .fields = {
          setting("log_dir", tensorboard.log_dir, path_in_run(), "Where they are, in the run's folder"),
          setting("gradient_histograms", tensorboard.gradient_histograms, or_null(whole(at_least(1))),
                  "Every so many optimizer steps, a histogram of each parameter's gradient; null: none")}};
}

}  // namespace lightrun::config
