#pragma once

#include <string>

namespace lightrun::sources {

/// Throws WrongSetting, with the reason, unless `path` is a regular file that may be read, or a link to one:
/// others may never end (a device), or wait for ever (a pipe).
void check_file(const std::string& setting, const std::string& path);

/// The same of a folder.
void check_folder(const std::string& setting, const std::string& path);

}  // namespace lightrun::sources
