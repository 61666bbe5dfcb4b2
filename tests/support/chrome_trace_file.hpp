#pragma once

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace lightrun::tests {

/// A complete event; times in nanoseconds.
struct CompleteEvent {
  std::string name;
  std::string category;
  int64_t start = 0;
  int64_t end = 0;
  int64_t tid = 0;

  [[nodiscard]] bool holds(const CompleteEvent& other) const {
    return tid == other.tid && start < other.start && other.end < end;
  }
};

/// What is in a file that ChromeTrace has written.
struct ChromeTraceFile {
  std::string process_name;
  std::map<int64_t, std::string> thread_names;
  std::vector<CompleteEvent> events;  ///< in the file's order

  [[nodiscard]] std::vector<CompleteEvent> named(const std::string& name) const {
    std::vector<CompleteEvent> found;
    std::ranges::copy_if(events, std::back_inserter(found), [&](const auto& e) { return e.name == name; });
    return found;
  }
  [[nodiscard]] std::size_t count(const std::string& name) const { return named(name).size(); }

  /// How many events of this name, or of any operator, ran inside `outer`.
  [[nodiscard]] int64_t count_inside(const CompleteEvent& outer, const std::string& name) const {
    return std::ranges::count_if(events, [&](const auto& e) { return e.name == name && outer.holds(e); });
  }
  [[nodiscard]] int64_t operators_inside(const CompleteEvent& outer) const {
    return std::ranges::count_if(events,
                                 [&](const auto& e) { return e.category == "operator" && outer.holds(e); });
  }
};

/// Each event lies inside another of its thread or beside it, and stands after what ended before it.
inline void check_nested(const std::vector<CompleteEvent>& events) {
  std::map<int64_t, std::vector<CompleteEvent>> threads;
  for (const CompleteEvent& event : events) threads[event.tid].push_back(event);
  for (auto& [tid, own] : threads) {
    CAPTURE(tid);
    CHECK(std::ranges::adjacent_find(own, std::ranges::greater_equal(), &CompleteEvent::end) == own.end());
    std::ranges::sort(own, {}, &CompleteEvent::start);
    std::vector<CompleteEvent> open;
    std::size_t crossings = 0;
    for (const CompleteEvent& event : own) {
      while (!open.empty() && open.back().end < event.start) open.pop_back();
      if (!open.empty() && !open.back().holds(event)) ++crossings;
      open.push_back(event);
    }
    CHECK(crossings == 0);
  }
}

/// Reads the file, which must be whole JSON, and checks what holds for every one.
inline ChromeTraceFile read_chrome_trace(const std::filesystem::path& path) {
  ChromeTraceFile file;
  std::map<int64_t, int> processes;
  const auto nanoseconds = [](const nlohmann::json& value) {
    return std::llround(value.get<double>() * 1e3);
  };
  for (const auto& event : nlohmann::json::parse(read_file(path))) {
    ++processes[event.at("pid").get<int64_t>()];
    const auto tid = event.at("tid").get<int64_t>();
    const auto name = event.at("name").get<std::string>();
    if (event.at("ph") == "M") {
      const auto text = event.at("args").at("name").get<std::string>();
      if (name == "process_name") file.process_name = text;
      if (name == "thread_name") file.thread_names[tid] = text;
      continue;
    }
    REQUIRE(event.at("ph") == "X");
    const int64_t start = nanoseconds(event.at("ts"));
    const int64_t duration = nanoseconds(event.at("dur"));
    if (start < 0 || duration <= 0) FAIL("not in time: " << event.dump());
    if (!file.thread_names.contains(tid)) FAIL("a thread without a name: " << event.dump());
    file.events.push_back({name, event.at("cat").get<std::string>(), start, start + duration, tid});
  }
  CHECK(processes.size() == 1);
  check_nested(file.events);
  return file;
}

}  // namespace lightrun::tests
