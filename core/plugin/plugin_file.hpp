#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lightrun::plugin {

/// A model as its note describes it.
struct ModelNote {
  std::string name;
  std::string help;
};

/// A plugin, read but not opened: none of its code has run. The texts are printable and of bounded length.
struct PluginFile {
  std::string path;
  std::vector<ModelNote> models;       ///< as far as they can be read, also of a refused plugin
  std::string torch_version;           ///< what it was built with; empty where it cannot be read
  std::string compiler;                ///< likewise
  std::optional<std::string> refused;  ///< why it cannot be used, and what to do

  /// "PATH: reason; what to do" of a refused one.
  [[nodiscard]] std::string refusal() const { return path + ": " + refused.value_or("not refused"); }
};

/// Reads the notes of the file at `path` and compares them with this lightrun: SDK version, torch version,
/// string ABI, all that differ in one sentence. Does not throw: what is wrong is in `refused`.
[[nodiscard]] PluginFile read_plugin_file(const std::string& path);

}  // namespace lightrun::plugin
