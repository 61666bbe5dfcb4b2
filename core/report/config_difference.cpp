#include "report/config_difference.hpp"

#include "config/yaml_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace lightrun::report {
namespace {

using config::Value;

[[nodiscard]] bool is_plain(const Value& value) {
  return value.kind == Value::Kind::null || value.kind == Value::Kind::scalar;
}

void add_settings(const std::string& path, const Value& value, Settings& settings) {
  if (value.kind == Value::Kind::map && !value.entries.empty()) {
    for (const Value::Entry& entry : value.entries)
      add_settings(config::dotted(path, entry.key), entry.value, settings);
  } else if (value.kind == Value::Kind::list && !std::ranges::all_of(value.items, is_plain)) {
    for (std::size_t i = 0; i < value.items.size(); ++i)
      add_settings(config::dotted(path, std::to_string(i)), value.items[i], settings);
  } else {
    settings.emplace_back(path, config::print_flow(value));
  }
}

}  // namespace

Settings settings_of(const Value& config) {
  Settings settings;
  add_settings("", config, settings);
  return settings;
}

std::vector<DifferingSetting> differing_settings(const std::vector<std::optional<Settings>>& configs) {
  std::vector<DifferingSetting> all;
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t run = 0; run < configs.size(); ++run) {
    if (!configs[run]) continue;
    for (const auto& [path, value] : *configs[run]) {
      const auto [place, is_new] = places.try_emplace(path, all.size());
      if (is_new) all.push_back({path, std::vector<std::optional<std::string>>(configs.size())});
      all[place->second].values[run] = value;
    }
  }
  std::erase_if(all, [&](const DifferingSetting& setting) {
    const std::optional<std::string>* first = nullptr;
    for (std::size_t run = 0; run < configs.size(); ++run) {
      if (!configs[run]) continue;
      if (!first) first = &setting.values[run];
      if (*first != setting.values[run]) return false;
    }
    return true;
  });
  return all;
}

}  // namespace lightrun::report
