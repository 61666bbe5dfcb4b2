#pragma once

#include <lightrun/error.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

/// Files for the plugin tests: the libraries that tests/plugin/CMakeLists.txt builds, and changed copies of
/// them.
namespace lightrun::test {

namespace fs = std::filesystem;

/// The folder of a built test plugin.
inline fs::path built_folder(const std::string& name) {
  return fs::path(LIGHTRUN_BUILD_DIR) / "tests" / "plugins" / name;
}

inline std::string built(const std::string& name) {
  return (built_folder(name) / (name + ".so")).string();
}

/// A fresh folder, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (fs::temp_directory_path() / "lightrun_plugin_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  /// The path of `name` in it.
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string text() const { return path_.string(); }

 private:
  fs::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Writes the file anew, so that a library that is open keeps the bytes it had.
inline std::string write_bytes(const std::string& path, std::string_view bytes) {
  fs::create_directories(fs::path(path).parent_path());
  fs::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

inline std::string copy_to(const std::string& from, const std::string& to) {
  return write_bytes(to, read_bytes(from));
}

/// `bytes` with `value` over those from `offset` on.
template <typename T>
std::string patched(std::string_view bytes, std::size_t offset, const T& value) {
  if (offset + sizeof(value) > bytes.size()) throw std::runtime_error("patch past the end");
  std::string result(bytes.substr(0, offset));
  result.append(reinterpret_cast<const char*>(&value), sizeof(value));
  return result.append(bytes.substr(offset + sizeof(value)));
}

template <typename T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof(value) > bytes.size()) throw std::runtime_error("read past the end");
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

/// The text of the PluginError that `work` throws.
template <typename Work>
std::string refusal_of(Work work) {
  try {
    work();
  } catch (const PluginError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool is_one_line(std::string_view text) {
  return !contains(text, "\n");
}

}  // namespace lightrun::test
