#include "sources/config_data.hpp"

#include "data/loader.hpp"
#include "sources/normalize.hpp"
#include "sources/views.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lightrun::sources {
namespace {

const config::SourceSpec* source_in(const std::optional<config::HeldOutSpec>& spec) {
  return spec ? std::get_if<config::SourceSpec>(&spec->kind) : nullptr;
}

const config::SplitSpec* split_in(const std::optional<config::HeldOutSpec>& spec) {
  return spec ? std::get_if<config::SplitSpec>(&spec->kind) : nullptr;
}

/// Takes `count` of `rows` away, the last ones or at random, and answers them in ascending order.
std::vector<int64_t> take(std::vector<int64_t>& rows, std::size_t count, bool from_end, int64_t seed) {
  const auto cut = static_cast<std::ptrdiff_t>(rows.size() - count);
  if (!from_end) {
    std::vector<int64_t> mixed;
    mixed.reserve(rows.size());
    for (const int64_t at : data::epoch_order(static_cast<int64_t>(rows.size()), true, seed, 0))
      mixed.push_back(rows[static_cast<std::size_t>(at)]);
    rows = std::move(mixed);
  }
  std::vector<int64_t> taken(rows.begin() + cut, rows.end());
  rows.erase(rows.begin() + cut, rows.end());
  std::ranges::sort(rows);
  std::ranges::sort(taken);
  return taken;
}

constexpr const char* part_path(ConfigData::Part part) {
  switch (part) {
    case ConfigData::Part::train:
      return "data.train";
    case ConfigData::Part::val:
      return "data.val";
    case ConfigData::Part::test:
      return "data.test";
    default:
      return "data.predict";
  }
}

}  // namespace

ConfigData::ConfigData(config::DataSpec spec, StateDict learned, config::Origins origins,
                       OpenPluginAt open_plugin)
    : spec_(std::move(spec)),
      is_learned_(!learned.empty()),
      learned_(std::move(learned)),
      origins_(std::move(origins)),
      open_plugin_(std::move(open_plugin)) {}

bool ConfigData::has(Part part) const {
  if (spec_.train) return true;
  if (part == Part::train) return false;
  if (part == Part::val) return spec_.val.has_value();
  return part == Part::test ? spec_.test.has_value() : spec_.predict || spec_.test;
}

/// Calls `function`; what is wrong with a setting gets its place.
template <typename Function>
auto ConfigData::at(const std::string& path, Function&& function) {
  try {
    return function();
  } catch (const WrongSetting& wrong) {
    const std::string setting = wrong.setting().empty() ? path : path + "." + wrong.setting();
    throw ConfigError(config::where(origins_, setting) + setting + ": " + wrong.what());
  }
}

std::unique_ptr<Source> ConfigData::open_source_at(const std::string& path, const config::SourceSpec& spec) {
  const OpenPlugin open_plugin = [&](const config::PluginSource& plugin) {
    return open_plugin_(plugin, path);
  };
  return at(path, [&] { return open_source(spec, open_plugin); });
}

void ConfigData::hold_out(Training& training, const char* path,
                          const std::optional<config::HeldOutSpec>& spec, int64_t size,
                          std::vector<int64_t>& rows) {
  const auto* split = split_in(spec);
  if (!split) return;
  const auto count = static_cast<std::size_t>(std::llround(static_cast<double>(size) * split->split));
  at(path, [&] {
    if (count == 0) {
      throw WrongSetting("split", fmt::format("{} of {} samples is none", split->split, size));
    }
    if (count >= training.train.size()) {
      const auto* test = split_in(spec_.test);
      const bool takes_too = test != nullptr && test != split;
      throw WrongSetting(
          "split",
          fmt::format("{} of {} samples{} leaves nothing to train on", split->split, size,
                      takes_too ? fmt::format(", beside data.test.split, {},", test->split) : std::string()));
    }
  });
  const bool from_end = split->by == config::SplitBy::automatic ? training.source->is_sequential()
                                                                : split->by == config::SplitBy::end;
  rows = take(training.train, count, from_end, split->seed);
}

ConfigData::Training& ConfigData::training() {
  if (training_) return *training_;
  Training opened;
  opened.source = open_source_at("data.train", spec_.train.value());
  const auto size = opened.source->size();
  if (!size) {
    for (const auto& [path, is_given] : {std::pair{"data.val", split_in(spec_.val) != nullptr},
                                         {"data.test", split_in(spec_.test) != nullptr},
                                         {"data.normalize", spec_.normalize.has_value()}}) {
      if (!is_given) continue;
      at(path,
         [] { throw WrongSetting("", "data.train is a stream, of which nothing is known beforehand"); });
    }
    return training_.emplace(std::move(opened));
  }
  opened.train.resize(static_cast<std::size_t>(*size));
  std::iota(opened.train.begin(), opened.train.end(), int64_t{0});
  hold_out(opened, "data.test", spec_.test, *size, opened.test);
  hold_out(opened, "data.val", spec_.val, *size, opened.val);
  if (!is_learned_) opened.source->learn(opened.train, learned_);
  const char* split = split_in(spec_.val) ? "data.val" : split_in(spec_.test) ? "data.test" : nullptr;
  try {
    opened.samples = at("data.train", [&] { return opened.source->open(learned_); }).dataset;
  } catch (const UnknownClass& unknown) {
    if (is_learned_ || split == nullptr) throw;
    throw RunError(
        fmt::format("{}: the split has left none of it to train on; give {} another `seed`, or the "
                    "class more samples",
                    unknown.what(), split));
  }
  if (spec_.normalize && !is_learned_) {
    at("data.normalize",
       [&] { learn_normalization(*spec_.normalize, *subset(opened.samples, opened.train), learned_); });
  }
  is_learned_ = true;
  return training_.emplace(std::move(opened));
}

DataLoader ConfigData::rows_of_training(const std::vector<int64_t>& rows) {
  const Training& all = training();
  if (!all.samples) return at("data.train", [&] { return all.source->open(learned_); });
  const bool is_whole = rows.size() == static_cast<std::size_t>(all.samples->size());
  return {normalized(is_whole ? all.samples : subset(all.samples, rows), learned_)};
}

DataLoader ConfigData::open_source_part(const std::string& path, const config::SourceSpec& spec) {
  if (spec_.train && !is_learned_) static_cast<void>(training());
  DataLoader data = at(path, [&] { return open_source_at(path, spec)->open(learned_); });
  if (data.dataset) data.dataset = normalized(data.dataset, learned_);
  return data;
}

DataLoader ConfigData::open(Part part) {
  const std::string path = part_path(part);
  if (part == Part::train) return rows_of_training(training().train);
  if (part == Part::predict) {
    return spec_.predict ? open_source_part(path, *spec_.predict) : open(Part::test);
  }
  const auto& spec = part == Part::val ? spec_.val : spec_.test;
  if (const auto* source = source_in(spec)) return open_source_part(path, *source);
  if (!spec) return {};
  if (!spec_.train) {
    at(path, [] { throw WrongSetting("split", "there is no data.train to take it from"); });
  }
  return rows_of_training(part == Part::val ? training().val : training().test);
}

const DataInfo& ConfigData::info() {
  if (info_) return *info_;
  info_.emplace();
  if (spec_.train && training().samples) info_ = training().samples->describe();
  return *info_;
}

const StateDict& ConfigData::learned() {
  if (spec_.train && !is_learned_) static_cast<void>(training());
  return learned_;
}

}  // namespace lightrun::sources
