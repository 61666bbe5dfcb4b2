#include "layout/source_tree.hpp"
#include "support/catch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string>

using namespace layout;

namespace {

constexpr auto kMostLines = 450;

/// A path that exists on somebody's machine only.
bool has_private_path(const std::string& text) {
  static const std::regex kPrivate(R"re((^|[^\w.~/-])/(work|home|root|Users)/\w)re");
  return std::regex_search(text, kPrivate);
}

/// This machine's name, where it is one that cannot be an ordinary word; else "".
std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "";
  const std::string host = name.data();
  const bool has_digit = host.find_first_of("0123456789") != std::string::npos;
  return has_digit && host.size() >= 8 ? host : "";
}

}  // namespace

TEST_CASE("no source file has more than 450 lines") {
  for (const std::string& file : source_files()) {
    const std::string text = read_file(file);
    INFO(file);
    CHECK(std::count(text.begin(), text.end(), '\n') <= kMostLines);
  }
}

TEST_CASE("every header has #pragma once") {
  for (const std::string& file : source_files()) {
    if (!file.ends_with(".hpp")) continue;
    INFO(file);
    const std::string text = read_file(file);
    CHECK((text.starts_with("#pragma once\n") || text.find("\n#pragma once\n") != std::string::npos));
  }
}

TEST_CASE("every config begins with a comment that says what it is") {
  const std::vector<std::string> configs = files_under("configs");
  CHECK_FALSE(configs.empty());
  for (const std::string& file : configs) {
    if (!file.ends_with(".yaml") && !file.ends_with(".md")) continue;  // data
    INFO(file);
    CHECK(read_file(file).starts_with("# "));
  }
}

TEST_CASE("a path of somebody's machine is recognized") {
  // Put together here, or this file would be one that has such a path.
  const std::string work = std::string("/") + "work/main";
  CHECK(has_private_path("see " + work));
  CHECK(has_private_path("\"" + work + "\""));
  CHECK_FALSE(has_private_path("https://example.org" + work));
  CHECK_FALSE(has_private_path("/usr/lib/x86_64-linux-gnu"));
}

TEST_CASE("no file names a path or the name of somebody's machine") {
  const std::string host = host_name();
  for (const std::string& file : files_under("")) {
    const std::string text = read_file(file);
    if (text.find('\0') != std::string::npos) continue;
    INFO(file);
    CHECK_FALSE(has_private_path(text));
    if (!host.empty()) CHECK(text.find(host) == std::string::npos);
  }
}
