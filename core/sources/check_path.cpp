#include "sources/check_path.hpp"

#include "sources/source.hpp"
#include "support/file_descriptor.hpp"

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace lightrun::sources {
namespace {

/// What is there; throws where nothing is, or it may not be read.
std::filesystem::file_type type_at(const std::string& setting, const std::string& path, const char* kind) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::not_found)
    throw WrongSetting(setting, fmt::format("{}: there is no such {}", path, kind));
  if (type == std::filesystem::file_type::none)
    throw WrongSetting(setting, fmt::format("{}: cannot be read: {}", path, error.message()));
  if (::access(path.c_str(), R_OK) != 0)
    throw WrongSetting(setting, fmt::format("{}: cannot be read: {}", path, support::errno_text(errno)));
  return type;
}

}  // namespace

void check_file(const std::string& setting, const std::string& path) {
  const auto type = type_at(setting, path, "file");
  if (type == std::filesystem::file_type::directory)
    throw WrongSetting(setting, path + ": is a folder, not a file");
  if (type != std::filesystem::file_type::regular)
    throw WrongSetting(setting, path + ": is no regular file, but a device or a pipe");
}

void check_folder(const std::string& setting, const std::string& path) {
  if (type_at(setting, path, "folder") != std::filesystem::file_type::directory)
    throw WrongSetting(setting, path + ": is no folder");
}

}  // namespace lightrun::sources
