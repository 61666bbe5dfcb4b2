#pragma once

#include <string>
#include <vector>

namespace lightrun::plugin {

/// The folders plugins are looked for in, in this order: `plugin_dirs` (the `--plugin-dir`s), those of
/// LIGHTRUN_PLUGIN_PATH (separated by colons), ./plugins, lightrun/plugins next to this library (the build's,
/// or the installed ones), and fallback_folder(). A folder is named once; but for the first kind it need not
/// be there. Throws PluginError for a `--plugin-dir` that is no folder.
[[nodiscard]] std::vector<std::string> search_path(const std::vector<std::string>& plugin_dirs);

/// Where `cmake --install` puts plugins, for a lightrun that runs from its build tree; empty for an installed
/// one.
[[nodiscard]] std::string fallback_folder();

/// The `*.so` files in `folder` and one level below, sorted by path. None where there is no such folder.
[[nodiscard]] std::vector<std::string> libraries_in(const std::string& folder);

}  // namespace lightrun::plugin
