#include "report/text_file.hpp"

#include "support/file_descriptor.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lightrun::report {

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return std::nullopt;
  if (error) support::throw_file_error("read", path, error.value());
  if (std::filesystem::is_directory(status)) support::throw_file_error("read", path, EISDIR);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) support::throw_file_error("read", path, errno == 0 ? EIO : errno);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) support::throw_file_error("read", path, errno == 0 ? EIO : errno);
  return text;
}

}  // namespace lightrun::report
