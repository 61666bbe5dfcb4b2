#pragma once

#include "support/temporary_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace lightrun::tests {

/// What a user sees of one call of the real executable.
struct Outcome {
  int exit_code = 0;  ///< -n: it died of signal n
  std::string out;
  std::string err;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The real executable, started in `folder`; stdout and stderr go to files there.
class LightrunProcess {
 public:
  LightrunProcess(const std::filesystem::path& folder, const std::vector<std::string>& arguments)
      : folder_(folder) {
    pid_ = fork();
    if (pid_ == 0) run_child(arguments);
  }
  LightrunProcess(const LightrunProcess&) = delete;
  LightrunProcess& operator=(const LightrunProcess&) = delete;
  ~LightrunProcess() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }

  void signal(int number) const { ::kill(pid_, number); }

  /// Whether it is over; wait() then comes back at once.
  [[nodiscard]] bool has_ended() const {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }

  [[nodiscard]] Outcome wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(folder_ / "stdout.txt"),
            read_file(folder_ / "stderr.txt")};
  }

  /// What it has printed so far.
  [[nodiscard]] std::string out_so_far() const { return read_file(folder_ / "stdout.txt"); }

 private:
  [[noreturn]] void run_child(const std::vector<std::string>& arguments) {
    const auto redirect = [this](const char* name, int to) {
      const int fd = ::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(fd, to);
    };
    redirect("stdout.txt", STDOUT_FILENO);
    redirect("stderr.txt", STDERR_FILENO);
    std::string executable = LIGHTRUN_BUILD_DIR "/bin/lightrun";
    std::vector<char*> argv = {executable.data()};
    auto copies = arguments;
    for (auto& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    if (::chdir(folder_.c_str()) == 0) ::execv(executable.c_str(), argv.data());
    ::_exit(127);
  }

  std::filesystem::path folder_;
  pid_t pid_ = 0;
};

inline Outcome run_lightrun(const TemporaryFolder& folder, const std::vector<std::string>& arguments) {
  return LightrunProcess(folder.path(), arguments).wait();
}

/// A config of this repository.
inline std::string shipped_config(const std::string& name) {
  return LIGHTRUN_SOURCE_DIR "/configs/" + name;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

inline std::vector<std::string> split_at_commas(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// A metrics.csv: one map a row, column -> cell.
inline std::vector<std::map<std::string, std::string>> read_csv(const std::filesystem::path& path) {
  std::vector<std::map<std::string, std::string>> rows;
  const auto lines = lines_of(read_file(path));
  if (lines.empty()) throw std::runtime_error("no lines in " + path.string());
  const auto header = split_at_commas(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = split_at_commas(lines[i]);
    auto& row = rows.emplace_back();
    for (std::size_t column = 0; column < header.size(); ++column) row[header[column]] = cells.at(column);
  }
  return rows;
}

}  // namespace lightrun::tests
