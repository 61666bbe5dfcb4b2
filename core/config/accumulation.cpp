#include "config/accumulation.hpp"

#include <fmt/format.h>

namespace lightrun::config {

namespace {

constexpr const char* kAccumulation = "a whole number, or a map from epoch to one";

std::optional<AccumulationSchedule> read_schedule(const Value& value, const Report& report) {
  AccumulationSchedule schedule;
  bool good = true;
  for (const Value::Entry& entry : value.entries) {
    Value epoch_value = Value::plain(entry.key);
    epoch_value.mark = entry.mark;
    const auto report_epoch = [&](const Mark& mark, const std::string& text) {
      report(mark, fmt::format("epoch {}: {}", entry.key, text));
    };
    const auto epoch = whole(at_least(0)).read(epoch_value, report_epoch);
    const auto batches = whole(at_least(1)).read(entry.value, report);
    if (!epoch || !batches) {
      good = false;
    } else if (!schedule.emplace(*epoch, *batches).second) {
      report(entry.mark, fmt::format("epoch {} is given twice", *epoch));
      good = false;
    }
  }
  if (value.entries.empty()) {
    report(value.mark, "an empty map: give at least one epoch");
    good = false;
  }
  return good ? std::optional(schedule) : std::nullopt;
}

}  // namespace

Codec<AccumulationSchedule> accumulation() {
  const auto count = whole(at_least(1));
  return {kAccumulation,
          count.range,
          [count](const Value& value, const Report& report) -> std::optional<AccumulationSchedule> {
            if (value.kind == Value::Kind::map) return read_schedule(value, report);
            if (value.kind != Value::Kind::scalar) {
              report(value.mark, expected(kAccumulation, value));
              return std::nullopt;
            }
            const auto batches = count.read(value, report);
            if (!batches) return std::nullopt;
            return AccumulationSchedule{{0, *batches}};
          },
          [count](const AccumulationSchedule& schedule) {
            if (schedule.size() == 1 && schedule.begin()->first == 0)
              return count.write(schedule.begin()->second);
            Value map = Value::map();
            for (const auto& [epoch, batches] : schedule) {
              map.add(std::to_string(epoch), {}, count.write(batches));
            }
            return map;
          },
          false,
          R"({"type":["integer","object"]})"};
}

}  // namespace lightrun::config
