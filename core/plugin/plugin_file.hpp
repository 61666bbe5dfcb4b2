#pragma once

#include <lightrun/plugin_note.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lightrun::plugin {

/// A model, source or callback as its note describes it.
struct Offer {
  PluginKind kind;
  std::string name;
  std::string help;
};

/// A plugin, read but not opened: none of its code has run. The texts are printable and of bounded length.
struct PluginFile {
  std::string path;
  std::vector<Offer> offers;           ///< as far as they can be read, also of a refused plugin
  std::string torch_version;           ///< what it was built with; empty where it cannot be read
  std::string compiler;                ///< likewise
  std::optional<std::string> refused;  ///< why it cannot be used, and what to do

  /// Names of what it offers of one kind.
  [[nodiscard]] std::vector<std::string> names(PluginKind kind) const;
  /// nullptr where it offers nothing of that kind and name.
  [[nodiscard]] const Offer* find(PluginKind kind, const std::string& name) const;

  /// "PATH: reason; what to do" of a refused one.
  [[nodiscard]] std::string refusal() const { return path + ": " + refused.value_or("not refused"); }
};

/// Reads the notes of the file at `path` and compares them with this lightrun: SDK version (an older minor
/// one is as good), torch version, string ABI, all that differ in one sentence. Does not throw: what is wrong
/// is in `refused`.
[[nodiscard]] PluginFile read_plugin_file(const std::string& path);

}  // namespace lightrun::plugin
