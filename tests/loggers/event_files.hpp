#pragma once

#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

/// What a reader that knows nothing of ours finds in event files.
namespace lightrun::tests {

/// The events in `folder`, file by file, as read_events.py prints them. Throws where it finds anything wrong.
inline nlohmann::json read_events(const std::filesystem::path& folder) {
  const TemporaryFolder output;
  const std::string to = (output / "events.json").string();
  // Debian's own has protobuf; where there is none, the script reads without it.
  const std::string command = "python=/usr/bin/python3; [ -x $python ] || python=python3; $python " +
                              std::string(LIGHTRUN_SOURCE_DIR "/tests/loggers/read_events.py ") +
                              folder.string() + " > " + to + " 2>&1";
  if (std::system(command.c_str()) != 0) throw std::runtime_error(read_file(to));
  return nlohmann::json::parse(read_file(to));
}

/// Each scalar once: (tag, step) -> value. Throws where one is there twice.
inline std::map<std::pair<std::string, int64_t>, nlohmann::json> scalars_in(const nlohmann::json& events) {
  std::map<std::pair<std::string, int64_t>, nlohmann::json> scalars;
  for (const auto& event : events) {
    if (!event.contains("scalars")) continue;
    for (const auto& [tag, value] : event["scalars"].items()) {
      if (!scalars.emplace(std::pair(tag, event["step"].get<int64_t>()), value).second)
        throw std::runtime_error(tag + " twice at step " + event["step"].dump());
    }
  }
  return scalars;
}

}  // namespace lightrun::tests
