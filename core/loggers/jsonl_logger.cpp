#include "loggers/jsonl_logger.hpp"

#include "loggers/metric_name.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace lightrun::loggers {
namespace {

constexpr auto kJsonlLines = "lines";
constexpr auto kJsonlLastLine = "last_line";

/// Nothing where `state` is not of a metrics.jsonl.
[[nodiscard]] std::optional<LinePosition> jsonl_position(const LoggerState& state) {
  const auto lines = state.find(kJsonlLines);
  const auto last_line = state.find(kJsonlLastLine);
  if (lines == state.end() || last_line == state.end()) return std::nullopt;
  LinePosition position;
  const char* const end = lines->second.data() + lines->second.size();
  const auto [stop, error] = std::from_chars(lines->second.data(), end, position.lines);
  if (error != std::errc() || stop != end || position.lines < 0) return std::nullopt;
  if (position.lines == 0) return position;
  position.last_line = last_line->second + '\n';
  return read_jsonl_line(position.last_line) ? std::optional(position) : std::nullopt;
}

[[nodiscard]] LineReader jsonl_reader(const LinePosition& position) {
  return {
      .take_header = [](std::string_view& /*text*/) { return true; },
      .line_then = [](std::string_view line) -> std::optional<std::string> {
        return read_jsonl_line(line) ? std::optional<std::string>(line) : std::nullopt;
      },
      .completes_last =
          [last = read_jsonl_line(position.last_line)](std::string_view line) {
            return last && read_jsonl_line(line)->completes(*last);
          },
  };
}

[[nodiscard]] ResumedLines resume_jsonl(const std::filesystem::path& path, const LoggerState& state,
                                        const std::filesystem::path& from) {
  if (!is_same_file(path, from)) static_cast<void>(LineFile::make(path));
  const auto known = jsonl_position(state);
  const LinePosition position = known.value_or(LinePosition());
  return resume_lines(path, from, position, known.has_value(), jsonl_reader(position));
}

}  // namespace

JsonlLogger::JsonlLogger(std::filesystem::path path) : file_(LineFile::make(std::move(path))) {}

JsonlLogger::JsonlLogger(std::filesystem::path path, const LoggerState& state,
                         const std::filesystem::path& from)
    : JsonlLogger(path, jsonl_position(state).value_or(LinePosition()), resume_jsonl(path, state, from)) {}

JsonlLogger::JsonlLogger(std::filesystem::path path, const LinePosition& position, ResumedLines resumed)
    : warning_(std::move(resumed.warning)),
      file_(LineFile::take_up(std::move(path), resumed.last_line_start, position.last_line)),
      lines_(resumed.lines) {
  if (lines_ > 0) last_ = *read_jsonl_line(position.last_line);
}

void JsonlLogger::log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) {
  if (metrics.empty()) return;
  for (const auto& [name, value] : metrics) check_metric_name(name, file_.path());
  const bool is_new = lines_ == 0 || step != last_.step || epoch != last_.epoch || last_.contradicts(metrics);
  JsonlLine line = is_new ? begin_jsonl_line(step, epoch, seconds) : last_;
  line.add(metrics);
  if (is_new) {
    file_.append(line.text);
  } else {
    file_.change_last(line.text);
  }
  lines_ += is_new ? 1 : 0;
  last_ = std::move(line);
}

LoggerState JsonlLogger::state() const {
  return {{kJsonlLines, std::to_string(lines_)},
          {kJsonlLastLine, last_.text.substr(0, last_.text.empty() ? 0 : last_.text.size() - 1)}};
}

}  // namespace lightrun::loggers
