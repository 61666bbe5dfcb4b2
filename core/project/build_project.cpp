#include "project/build_project.hpp"

#include "project/installation.hpp"
#include "support/file_descriptor.hpp"

#include <lightrun/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

namespace lightrun::project {
namespace {

namespace fs = std::filesystem;

/// Runs a program with its output in `log`, or on the screen where that is empty. Answers its exit code.
int run(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> argv;
  auto copies = words;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw RunError("cannot start " + words[0] + ": " + support::errno_text(errno));
  if (child == 0) {
    if (!log.empty()) {
      const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      ::dup2(fd, STDOUT_FILENO);
      ::dup2(fd, STDERR_FILENO);
    }
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> sources_in(const fs::path& folder) {
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cpp") sources.push_back(entry.path().string());
  std::ranges::sort(sources);
  return sources;
}

/// A project for sources that have none; answers its folder.
fs::path project_for(const std::string& name, const std::vector<std::string>& sources,
                     const fs::path& build) {
  const fs::path folder = build / "project";
  fs::create_directories(folder);
  std::string list;
  for (const std::string& source : sources) list += fmt::format(" [==[{}]==]", source);
  std::ofstream(folder / "CMakeLists.txt") << fmt::format(
      "cmake_minimum_required(VERSION 3.25)\nproject({0} LANGUAGES CXX)\nfind_package(lightrun REQUIRED)\n"
      "lightrun_add_plugin({0} SOURCES{1})\n",
      name, list);
  return folder;
}

void show(const fs::path& log) {
  std::ifstream file(log);
  std::cerr << file.rdbuf();
}

/// Runs CMake; what it has said is shown where it fails.
void run_cmake(std::vector<std::string> words, const BuildRequest& request, const fs::path& log,
               const char* what) {
  words.insert(words.begin(), "cmake");
  const int code = run(words, request.verbose ? fs::path() : log);
  if (code == 0) return;
  if (code == 127)
    throw RunError("lightrun build: needs cmake and a C++ compiler; install them (Debian: cmake g++)");
  if (!request.verbose) show(log);
  throw RunError(
      fmt::format("{}: {} failed (above is what the compiler says)", request.source.string(), what));
}

}  // namespace

fs::path build_project(const BuildRequest& request) {
  if (!fs::exists(request.source))
    throw UsageError("lightrun build: " + request.source.string() + ": there is no such file or folder");
  const fs::path source = fs::canonical(request.source);
  const bool is_file = !fs::is_directory(source);
  if (is_file && source.extension() != ".cpp")
    throw UsageError(fmt::format("lightrun build: {} is no .cpp file", request.source.string()));
  const fs::path folder = is_file ? source.parent_path() : source;
  const std::string name = is_file ? source.stem().string() : source.filename().string();
  const fs::path build = folder / ".build" / name;
  const auto sources = is_file ? std::vector{source.string()} : sources_in(folder);
  if (sources.empty() && !fs::exists(folder / "CMakeLists.txt"))
    throw UsageError("lightrun build: " + request.source.string() + ": holds no .cpp file");
  std::error_code error;
  fs::create_directories(request.plugins, error);
  fs::create_directories(build, error);
  if (error) throw RunError("cannot make " + build.string() + ": " + error.message());

  const bool has_project = !is_file && fs::exists(folder / "CMakeLists.txt");
  const fs::path project = has_project ? folder : project_for(name, sources, build);
  const fs::path library = fs::absolute(request.plugins).lexically_normal() / name / (name + ".so");
  const fs::path log = build / "log.txt";
  std::ofstream(log).close();
  run_cmake(
      {"-S", project.string(), "-B", (build / "cmake").string(), "-DCMAKE_BUILD_TYPE=Release",
       "-Dlightrun_DIR=" + cmake_folder().string(),
       "-DLIGHTRUN_PLUGIN_OUTPUT_DIRECTORY=" + fs::absolute(request.plugins).lexically_normal().string()},
      request, log, "CMake's configuration");
  run_cmake({"--build", (build / "cmake").string(), "--parallel"}, request, log, "the compilation");
  if (!fs::exists(library)) {
    throw RunError(
        fmt::format("{}: was built, but made no {}: let its lightrun_add_plugin be called {}, as the folder",
                    request.source.string(), library.string(), name));
  }
  return library;
}

}  // namespace lightrun::project
