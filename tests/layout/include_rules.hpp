#pragma once

#include "layout/source_tree.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

/// Which way dependencies point.
namespace layout {

/// The folders of core, each one after those it may know.
inline const std::vector<std::string> kOrder = {"support", "config", "schedule", "data",        "optim",
                                                "state",   "plugin", "sources",  "distributed", "engine"};

/// The folders of core that a folder of core may include. Every folder knows itself and the SDK.
inline std::set<std::string> may_include(const std::string& folder) {
  if (folder == "callbacks" || folder == "loggers") return {folder, "support"};
  if (folder == "project") return {folder, "support"};
  if (folder == "predictions") return {folder, "support", "loggers", "state", "sources"};
  if (folder == "report") return {folder, "support", "config", "loggers", "state"};
  const auto place = std::find(kOrder.begin(), kOrder.end(), folder);
  std::set<std::string> known(kOrder.begin(), place == kOrder.end() ? place : place + 1);
  if (folder == "engine") known.insert({"callbacks", "loggers", "predictions"});
  if (place == kOrder.end()) known = {folder};
  return known;
}

inline bool is_core_folder(const std::string& name) {
  return name == "callbacks" || name == "loggers" || name == "report" || name == "project" ||
         name == "predictions" || std::find(kOrder.begin(), kOrder.end(), name) != kOrder.end();
}

/// A header of LibTorch.
inline bool is_torch(const std::string& header) {
  static const std::set<std::string> kFolders = {"torch", "ATen", "c10", "caffe2"};
  return kFolders.contains(parts_of(header).front());
}

/// Why `file` must not include `include` (written with its marks); "" where it may.
inline std::string include_fault(const std::string& file, const std::string& include) {
  const std::vector<std::string> from = parts_of(file);
  const std::vector<std::string> to = parts_of(without_marks(include));
  const bool internal = include.front() == '"';
  if (to.front() == "..") return "a path upwards";

  if (file.starts_with("core/include/")) {
    if (internal) return "an SDK header includes other SDK headers as <lightrun/...>";
    const bool standard = to.size() == 1;
    return standard || to.front() == "lightrun" || is_torch(without_marks(include))
               ? ""
               : "the SDK needs only LibTorch and the standard library";
  }
  if (!internal) return "";
  if (from.front() == "core")
    return may_include(from[1]).contains(to.front()) ? "" : from[1] + " must not know " + to.front();
  if (from.front() == "app") {
    static const std::set<std::string> kKnown = {"support", "project", "config", "schedule"};
    const std::string name = without_marks(include);
    const bool is_request =
        name == "engine/entry.hpp" || name == "report/command.hpp" ||
        (name.starts_with("engine/") && (name.ends_with("_command.hpp") || name.ends_with("_commands.hpp")));
    const bool allowed = to.size() == 1 || kKnown.contains(to.front()) || is_request;
    return allowed ? "" : "of " + to.front() + " the executable must not know this";
  }
  if (from.front() == "plugins")
    return is_core_folder(to.front()) ? "a plugin includes <lightrun/...> only" : "";
  return "";
}

/// The headers of ours that the file at `path` reaches, itself included.
inline std::set<std::string> reached_from(const std::string& path) {
  std::set<std::string> reached;
  std::vector<std::string> open = {path};
  while (!open.empty()) {
    const std::string file = open.back();
    open.pop_back();
    if (!reached.insert(file).second) continue;
    for (const std::string& include : includes_of(read_file(file))) {
      const std::string header = without_marks(include);
      for (const std::string& candidate : {"core/" + header, "core/include/" + header, "app/" + header}) {
        if (fs::is_regular_file(kRoot / candidate)) open.push_back(candidate);
      }
    }
  }
  return reached;
}

}  // namespace layout
