#include "report/run_record.hpp"

#include <lightrun/error.hpp>

#include <nlohmann/json.hpp>

namespace lightrun::report {
namespace {

using nlohmann::json;

/// The entry called `key`; null where there is none.
[[nodiscard]] const json& entry_of(const json& object, const char* key) {
  static const json kNone;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? kNone : *found;
}

[[nodiscard]] std::string text_in(const json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

[[nodiscard]] std::optional<double> number_in_record(const json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

[[nodiscard]] std::optional<int64_t> count_in(const json& value) {
  return value.is_number_integer() ? std::optional(value.get<int64_t>()) : std::nullopt;
}

[[nodiscard]] std::vector<std::string> texts_in(const json& value) {
  std::vector<std::string> texts;
  if (!value.is_array()) return texts;
  for (const json& each : value) texts.push_back(text_in(each));
  return texts;
}

[[nodiscard]] std::map<std::string, std::string> named_texts_in(const json& value) {
  std::map<std::string, std::string> texts;
  if (!value.is_object()) return texts;
  for (const auto& [name, each] : value.items()) texts.emplace(name, text_in(each));
  return texts;
}

[[nodiscard]] std::vector<ProfileRow> profile_in(const json& value) {
  std::vector<ProfileRow> rows;
  if (!value.is_array()) return rows;
  for (const json& each : value) {
    rows.push_back({.action = text_in(entry_of(each, "action")),
                    .calls = count_in(entry_of(each, "calls")).value_or(0),
                    .total_s = number_in_record(entry_of(each, "total_s")).value_or(0)});
  }
  return rows;
}

}  // namespace

RunRecord parse_run_record(std::string_view text) {
  const json record = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!record.is_object()) throw RunError("is no JSON object");
  return {.run_id = text_in(entry_of(record, "run_id")),
          .lightrun = text_in(entry_of(record, "lightrun")),
          .libtorch = text_in(entry_of(record, "libtorch")),
          .command = texts_in(entry_of(record, "command")),
          .model = text_in(entry_of(record, "model")),
          .plugin = text_in(entry_of(record, "plugin")),
          .devices = texts_in(entry_of(record, "devices")),
          .parameters = count_in(entry_of(record, "parameters")),
          .environment = named_texts_in(entry_of(record, "environment")),
          .started = text_in(entry_of(record, "started")),
          .ended = text_in(entry_of(record, "ended")),
          .status = text_in(entry_of(record, "status")),
          .reason = text_in(entry_of(record, "reason")),
          .seconds = number_in_record(entry_of(record, "seconds")),
          .profile = profile_in(entry_of(record, "profile"))};
}

}  // namespace lightrun::report
