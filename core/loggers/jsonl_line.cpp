#include "loggers/jsonl_line.hpp"

#include "loggers/metric_name.hpp"
#include "loggers/number_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace lightrun::loggers {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kEnd = "}\n";

[[nodiscard]] std::string json_text(const std::string& name) {
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "" of what no metric has for a value.
[[nodiscard]] std::string value_of(const Json& json) {
  if (json.is_number()) return json_number(json.get<double>());
  if (!json.is_string()) return "";
  const std::string& text = json.get_ref<const std::string&>();
  return text == "nan" || text == "inf" || text == "-inf" ? '"' + text + '"' : "";
}

}  // namespace

void JsonlLine::add(const Logger::Metrics& metrics) {
  text.resize(text.size() - kEnd.size());
  for (const auto& [name, value] : metrics) {
    const auto [at, is_new] = values.try_emplace(name, json_number(value));
    if (is_new) text += fmt::format(",{}:{}", json_text(name), at->second);
  }
  text += kEnd;
}

bool JsonlLine::contradicts(const Logger::Metrics& metrics) const {
  return std::ranges::any_of(metrics, [&](const auto& metric) {
    const auto at = values.find(metric.first);
    return at != values.end() && at->second != json_number(metric.second);
  });
}

bool JsonlLine::completes(const JsonlLine& other) const {
  return epoch == other.epoch && step == other.step &&
         std::ranges::all_of(other.values, [&](const auto& value) {
           const auto at = values.find(value.first);
           return at != values.end() && at->second == value.second;
         });
}

JsonlLine begin_jsonl_line(int64_t step, int64_t epoch, double seconds) {
  return {.epoch = epoch,
          .step = step,
          .text = fmt::format("{{\"epoch\":{},\"step\":{},\"time_s\":{:.3f}{}", epoch, step, seconds, kEnd)};
}

std::optional<JsonlLine> read_jsonl_line(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !text.ends_with(kEnd)) return std::nullopt;
  JsonlLine line{.text = std::string(text)};
  std::size_t fixed = 0;
  for (const auto& [name, value] : json.items()) {
    if (std::ranges::find(kFixedColumns, name) == kFixedColumns.end()) {
      if (value_of(value).empty()) return std::nullopt;
      line.values.emplace(name, value_of(value));
    } else if (name == "time_s" ? value.is_number() : value.is_number_integer()) {
      if (name == "epoch") line.epoch = value.get<int64_t>();
      if (name == "step") line.step = value.get<int64_t>();
      ++fixed;
    }
  }
  return fixed == kFixedColumns.size() ? std::optional(std::move(line)) : std::nullopt;
}

}  // namespace lightrun::loggers
