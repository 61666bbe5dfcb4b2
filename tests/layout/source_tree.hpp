#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

/// Reading lightrun's own sources. Paths are relative to the repository's root: "core/config/value.hpp".
namespace layout {

namespace fs = std::filesystem;

inline const fs::path kRoot = LIGHTRUN_SOURCE_DIR;

inline std::string read_file(const std::string& path) {
  std::ifstream file(kRoot / path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Every file under `folder` ("" is the root) that belongs to the repository, sorted. Hidden ones do not, but
/// for `.ci` and the root's own dot files; nor what builds and runs leave behind, nor the `.git` file of a
/// worktree.
inline std::vector<std::string> files_under(const std::string& folder) {
  static const std::set<std::string> kLeftOut = {"build", "runs", "shared", "__pycache__"};
  std::vector<std::string> files;
  const auto end = fs::recursive_directory_iterator{};
  for (auto entry = fs::recursive_directory_iterator(kRoot / folder); entry != end; ++entry) {
    const std::string name = entry->path().filename().string();
    const bool hidden = name.front() == '.' && name != ".ci";
    if (entry->is_directory() && (hidden || kLeftOut.contains(name))) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && name != ".git") {
      files.push_back(entry->path().lexically_relative(kRoot).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The C++ sources and headers of core, app, plugins and tests.
inline std::vector<std::string> source_files() {
  std::vector<std::string> sources;
  for (const char* folder : {"app", "core", "plugins", "tests"}) {
    for (std::string& path : files_under(folder)) {
      if (path.ends_with(".cpp") || path.ends_with(".hpp")) sources.push_back(std::move(path));
    }
  }
  return sources;
}

/// What the text includes, as written: "<vector>", "\"config/value.hpp\"".
inline std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex kInclude(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>|"[^"\n]+"))re");
  std::vector<std::string> includes;
  for (std::sregex_iterator match(text.begin(), text.end(), kInclude), end; match != end; ++match)
    includes.push_back((*match)[1]);
  return includes;
}

/// "<lightrun/batch.hpp>" -> "lightrun/batch.hpp".
inline std::string without_marks(const std::string& include) {
  return include.substr(1, include.size() - 2);
}

/// "core/config/value.hpp" -> {"core", "config", "value.hpp"}.
inline std::vector<std::string> parts_of(const std::string& path) {
  const fs::path whole(path);
  std::vector<std::string> parts;
  for (const fs::path& part : whole) parts.push_back(part.string());
  return parts;
}

}  // namespace layout
