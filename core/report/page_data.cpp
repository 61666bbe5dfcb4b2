#include "report/page_data.hpp"

#include "report/charts.hpp"
#include "report/summary.hpp"
#include "report/thinning.hpp"
#include "report/throughput.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lightrun::report {
namespace {

using nlohmann::ordered_json;

constexpr int kFormat = 1;

[[nodiscard]] ordered_json number_as_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

[[nodiscard]] ordered_json numbers_as_json(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double value : values) list.push_back(number_as_json(value));
  return list;
}

template <typename T>
[[nodiscard]] ordered_json json_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

/// Without "rows" where every row has a value.
[[nodiscard]] ordered_json series_json(const Metrics& metrics) {
  ordered_json list = ordered_json::array();
  for (const Series& series : metrics.series) {
    ordered_json each = {{"name", series.name}};
    if (series.rows.size() != metrics.rows()) each["rows"] = series.rows;
    each["values"] = numbers_as_json(series.values);
    list.push_back(std::move(each));
  }
  return list;
}

[[nodiscard]] ordered_json checkpoints_json(const Checkpoints& checkpoints) {
  ordered_json list = ordered_json::array();
  for (const CheckpointMark& mark : checkpoints.marks) {
    list.push_back({{"file", mark.file},
                    {"steps", mark.steps},
                    {"epoch", mark.epoch},
                    {"seconds", number_as_json(mark.seconds)},
                    {"best", mark.is_best},
                    {"monitor", mark.monitor},
                    {"value", mark.value ? number_as_json(*mark.value) : ordered_json()}});
  }
  return list;
}

[[nodiscard]] ordered_json log_json(const LogMessages& log) {
  ordered_json list = ordered_json::array();
  for (const LogMessage& message : log.messages)
    list.push_back({{"time", message.time}, {"level", message.level}, {"text", message.text}});
  return list;
}

[[nodiscard]] ordered_json profile_json(const std::vector<ProfileRow>& profile) {
  ordered_json list = ordered_json::array();
  for (const ProfileRow& row : profile) {
    list.push_back({{"action", row.action}, {"calls", row.calls}, {"total_s", number_as_json(row.total_s)}});
  }
  return list;
}

[[nodiscard]] ordered_json record_json(const RunRecord& record) {
  return {{"run_id", record.run_id},
          {"lightrun", record.lightrun},
          {"command", record.command},
          {"plugin", record.plugin},
          {"devices", record.devices},
          {"parameters", json_or_null(record.parameters)},
          {"started", record.started},
          {"ended", record.ended},
          {"status", record.status},
          {"reason", record.reason},
          {"seconds", json_or_null(record.seconds)}};
}

/// Of both sources; what run.json says goes before.
[[nodiscard]] ordered_json environment_json(const RunData& run) {
  std::map<std::string, std::string> texts;
  if (run.record) {
    texts = run.record->environment;
    if (!run.record->lightrun.empty()) texts.emplace("lightrun", run.record->lightrun);
    if (!run.record->libtorch.empty()) texts.emplace("libtorch", run.record->libtorch);
  }
  texts.insert(run.checkpoints.environment.begin(), run.checkpoints.environment.end());
  return texts;
}

[[nodiscard]] ordered_json value_at_json(const std::optional<ValueAt>& at, const Metrics& metrics) {
  if (!at) return {};
  return {{"value", number_as_json(at->value)},
          {"step", metrics.steps[at->row]},
          {"epoch", metrics.epochs[at->row]}};
}

[[nodiscard]] const char* text_of(Better better) {
  return better == Better::lower ? "lower" : better == Better::higher ? "higher" : "";
}

/// What a checkpoint was kept for counts more than the name.
[[nodiscard]] Better better_in(const RunData& run, const std::string& metric) {
  const auto found = run.checkpoints.higher_better.find(metric);
  if (found == run.checkpoints.higher_better.end()) return better_by_name(metric);
  return found->second ? Better::higher : Better::lower;
}

[[nodiscard]] ordered_json summaries_json(const RunData& run) {
  ordered_json list = ordered_json::array();
  for (const Series& series : run.metrics.series) {
    if (series.values.empty()) continue;
    const Better better = better_in(run, series.name);
    const Summary summary = summary_of(series, better);
    list.push_back({{"metric", series.name},
                    {"better", text_of(better)},
                    {"final", value_at_json(summary.final, run.metrics)},
                    {"best", value_at_json(summary.best, run.metrics)},
                    {"lowest", value_at_json(summary.lowest, run.metrics)},
                    {"highest", value_at_json(summary.highest, run.metrics)}});
  }
  return list;
}

/// Takes the run's metrics, which are large.
[[nodiscard]] ordered_json run_json(RunData& run, std::optional<double> samples_per_step,
                                    std::size_t most_rows) {
  const std::size_t rows = run.metrics.rows();
  ordered_json json = {{"name", run.name}, {"folder", run.folder}};
  const std::string model = run.record ? run.record->model : "";
  json["model"] = model.empty() ? run.checkpoints.model : model;
  json["record"] = run.record ? record_json(*run.record) : ordered_json();
  json["environment"] = environment_json(run);
  json["profile"] = run.record ? profile_json(run.record->profile) : ordered_json::array();
  json["summary"] = summaries_json(run);
  json["last"] = rows == 0 ? ordered_json()
                           : ordered_json{{"step", run.metrics.steps.back()},
                                          {"epoch", run.metrics.epochs.back()},
                                          {"seconds", number_as_json(run.metrics.seconds.back())}};
  json["throughput"] = json_or_null(mean_throughput(run.metrics, samples_per_step));
  Series speed = throughput(run.metrics, samples_per_step);
  if (!speed.values.empty()) run.metrics.series.push_back(std::move(speed));
  const Metrics metrics = thinned(std::move(run.metrics), most_rows);
  json["rows_in_file"] = rows;
  json["epoch"] = metrics.epochs;
  json["step"] = metrics.steps;
  json["time"] = numbers_as_json(metrics.seconds);
  json["series"] = series_json(metrics);
  json["checkpoints"] = checkpoints_json(run.checkpoints);
  json["config"] = run.config;
  json["log"] = log_json(run.log);
  json["log_left_out"] = run.log.left_out;
  json["problems"] = run.problems;
  return json;
}

/// The names of all metrics, each once, in the order of the first run that has it.
[[nodiscard]] std::vector<std::string> metric_names(const ordered_json& runs) {
  std::vector<std::string> names;
  for (const ordered_json& run : runs) {
    for (const ordered_json& series : run["series"]) {
      std::string name = series["name"].get<std::string>();
      const bool is_new = !series["values"].empty() && std::ranges::find(names, name) == names.end();
      if (is_new) names.push_back(std::move(name));
    }
  }
  return names;
}

[[nodiscard]] ordered_json charts_json(const std::vector<Chart>& charts) {
  ordered_json list = ordered_json::array();
  for (const Chart& chart : charts) {
    ordered_json lines = ordered_json::array();
    for (const Line& line : chart.lines)
      lines.push_back({{"metric", line.metric}, {"role", name_of(line.role)}});
    list.push_back({{"title", chart.title}, {"detail", chart.is_detail}, {"lines", std::move(lines)}});
  }
  return list;
}

[[nodiscard]] ordered_json difference_json(const std::vector<RunData>& runs) {
  std::vector<std::optional<Settings>> configs;
  for (const RunData& run : runs) configs.push_back(run.settings);
  ordered_json list = ordered_json::array();
  for (const DifferingSetting& setting : differing_settings(configs)) {
    ordered_json values = ordered_json::array();
    for (const auto& value : setting.values) values.push_back(json_or_null(value));
    list.push_back({{"path", setting.path}, {"values", std::move(values)}});
  }
  return list;
}

/// "</script>" would end the element, "<!--" hide its end.
[[nodiscard]] std::string without_less_than(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page_data(std::vector<RunData> runs, std::size_t most_rows) {
  // In one unit, or they could not be compared.
  const bool all_know_samples = std::ranges::all_of(
      runs, [](const RunData& run) { return run.checkpoints.samples_per_step.has_value(); });
  ordered_json page = {{"format", kFormat}, {"most_rows", most_rows}};
  page["config_difference"] = difference_json(runs);
  page["throughput_unit"] = all_know_samples ? kSamplesPerSecond : kStepsPerSecond;
  ordered_json all = ordered_json::array();
  for (RunData& run : runs)
    all.push_back(
        run_json(run, all_know_samples ? run.checkpoints.samples_per_step : std::nullopt, most_rows));
  page["charts"] = charts_json(plan_charts(metric_names(all)));
  page["runs"] = std::move(all);
  // Names and logs may be no UTF-8.
  return without_less_than(page.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace lightrun::report
