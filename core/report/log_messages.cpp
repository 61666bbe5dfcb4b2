#include "report/log_messages.hpp"

#include "support/file_descriptor.hpp"

#include <cerrno>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace lightrun::report {
namespace {

// "2026-11-30 19:04:53.120 warning: what is wrong", as the engine's log pattern has it.
constexpr std::string_view kTimePattern = "0000-00-00 00:00:00.000 ";
constexpr std::size_t kLongestMessage = 10'000;

[[nodiscard]] bool begins_with_time(std::string_view line) {
  if (line.size() < kTimePattern.size()) return false;
  for (std::size_t i = 0; i < kTimePattern.size(); ++i) {
    const bool is_digit = line[i] >= '0' && line[i] <= '9';
    if (kTimePattern[i] == '0' ? !is_digit : line[i] != kTimePattern[i]) return false;
  }
  return true;
}

/// The message that a line begins; nothing where it goes on with the one before.
[[nodiscard]] std::optional<LogMessage> message_in(const std::string& line) {
  if (!begins_with_time(line)) return std::nullopt;
  const std::size_t level = kTimePattern.size();
  const std::size_t colon = line.find(": ", level);
  if (colon == std::string::npos) return LogMessage{};
  return LogMessage{.time = line.substr(0, level - 1),
                    .level = line.substr(level, colon - level),
                    .text = line.substr(colon + 2)};
}

[[nodiscard]] bool is_wanted(const LogMessage& message) {
  return message.level == "warning" || message.level == "error" || message.level == "critical";
}

}  // namespace

LogMessages read_log_messages(const std::filesystem::path& path) {
  LogMessages found;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return found;
  std::ifstream file(path, std::ios::binary);
  if (!file) support::throw_file_error("read", path, errno);
  LogMessage* open = nullptr;
  std::string line;
  while (std::getline(file, line)) {
    if (auto message = message_in(line)) {
      open = nullptr;
      if (!is_wanted(*message)) continue;
      if (found.messages.size() >= kMostLogMessages) {
        ++found.left_out;
        continue;
      }
      open = &found.messages.emplace_back(std::move(*message));
    } else if (open && open->text.size() < kLongestMessage) {
      open->text += '\n' + line;
    }
  }
  return found;
}

}  // namespace lightrun::report
