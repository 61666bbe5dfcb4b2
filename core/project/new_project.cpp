#include "project/new_project.hpp"

#include "project/installation.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lightrun::project {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultConfig = "starter";

void check_name(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
      std::ranges::all_of(name, is_letter))
    return;
  throw UsageError(fmt::format(
      "lightrun new: '{}' is no name for a model: letters, digits and _, the first a letter", name));
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw RunError("cannot read " + path.string());
  return text;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunError("cannot write " + path.string());
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// The name in LIGHTRUN_MODEL(Class, "name", ...); other texts of that name stay.
void rename_model(std::string& source, const std::string& from, const std::string& to) {
  const auto macro = source.rfind("LIGHTRUN_MODEL(");
  const auto name = source.find('"' + from + '"', macro);
  if (macro != std::string::npos && name != std::string::npos) source.replace(name + 1, from.size(), to);
}

std::string list_file(const std::string& of_template, const std::string& from, const std::string& name) {
  std::string text = of_template;
  replace_all(text, "lightrun_add_plugin(" + from + " ", "lightrun_add_plugin(" + name + " ");
  replace_all(text, " " + from + ".cpp", " " + name + ".cpp");
  return fmt::format(
      "cmake_minimum_required(VERSION 3.25)\nproject({} LANGUAGES CXX)\nfind_package(lightrun REQUIRED)\n{}",
      name, text);
}

std::string config_file(const std::string& from, const std::string& name) {
  fs::path path = templates_folder() / (from + ".yaml");
  const bool has_own = fs::exists(path);
  if (!has_own) path = templates_folder() / (std::string(kDefaultConfig) + ".yaml");
  std::string text = read(path);
  if (!has_own) replace_all(text, "  params:\n    hidden: 32\n", "");
  replace_all(text, fmt::format("plugin: {}\n", has_own ? from : kDefaultConfig),
              fmt::format("plugin: {}\n", name));
  // The comment above is about the shipped config.
  while (text.starts_with('#')) text.erase(0, text.find('\n') + 1);
  return fmt::format("# lightrun build {0} && lightrun train {0}/{0}.yaml\n{1}", name, text);
}

}  // namespace

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(templates_folder()))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::vector<fs::path> new_project(const fs::path& folder, const std::string& from) {
  const std::string name = folder.filename().string();
  check_name(name);
  const auto names = template_names();
  if (std::ranges::find(names, from) == names.end()) {
    const auto meant = support::did_you_mean(from, names);
    throw UsageError(fmt::format("lightrun new: there is no model '{}' to begin from{}; there are {}", from,
                                 meant ? fmt::format(" (did you mean {}?)", *meant) : "",
                                 support::join(names)));
  }
  if (fs::exists(folder)) throw UsageError(fmt::format("lightrun new: {} is there already", folder.string()));
  std::error_code error;
  if (!fs::create_directories(folder, error))
    throw RunError(fmt::format("cannot make {}: {}", folder.string(), error.message()));

  std::vector<fs::path> written;
  const auto put = [&](const std::string& file, const std::string& text) {
    written.push_back(folder / file);
    write(written.back(), text);
  };
  for (const auto& entry : fs::directory_iterator(templates_folder() / from)) {
    const std::string file = entry.path().filename().string();
    std::string text = read(entry.path());
    if (file == from + ".cpp") {
      rename_model(text, from, name);
      put(name + ".cpp", text);
    } else {
      put(file, file == "CMakeLists.txt" ? list_file(text, from, name) : text);
    }
  }
  put(name + ".yaml", config_file(from, name));
  std::ranges::sort(written);
  return written;
}

}  // namespace lightrun::project
