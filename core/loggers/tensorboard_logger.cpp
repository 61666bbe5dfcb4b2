#include "loggers/tensorboard_logger.hpp"

#include "loggers/event_record.hpp"

#include <lightrun/error.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace lightrun::loggers {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) support::throw_file_error("make folder", folder, error.value());
}

/// For files of its own.
[[nodiscard]] ResumedEvents begin_in(const fs::path& folder) {
  make_folder(folder);
  if (has_event_files(folder))
    throw RunError(
        fmt::format("cannot write to {}: it holds the event files of an earlier run", folder.string()));
  return {};
}

[[nodiscard]] ResumedEvents resume_in(const fs::path& folder, const LoggerState& state,
                                      const fs::path& from) {
  make_folder(folder);
  return resume_events(folder, state, from);
}

}  // namespace

TensorboardLogger::TensorboardLogger(fs::path folder, Settings settings)
    : TensorboardLogger(folder, std::move(settings), begin_in(folder)) {}

TensorboardLogger::TensorboardLogger(fs::path folder, Settings settings, const LoggerState& state,
                                     const fs::path& from)
    : TensorboardLogger(folder, std::move(settings), resume_in(folder, state, from)) {}

TensorboardLogger::TensorboardLogger(fs::path folder, Settings settings, ResumedEvents resumed)
    : folder_(std::move(folder)),
      histograms_every_(settings.histograms_every),
      position_(std::move(resumed.position)),
      warning_(std::move(resumed.warning)) {
  make_file();
  append(version_record(wall_time()) + start_record(wall_time(), position_.next_step));
  if (settings.config.empty()) return;
  append(text_record(wall_time(), position_.next_step, "config", "```yaml\n" + settings.config + "```\n"));
}

void TensorboardLogger::log_metrics(int64_t step, int64_t /*epoch*/, double /*seconds*/,
                                    const Metrics& metrics) {
  if (metrics.empty()) return;
  append(scalars_record(wall_time(), step, metrics));
  count(step);
}

bool TensorboardLogger::wants_histograms(int64_t step) const {
  return histograms_every_ && (step + 1) % *histograms_every_ == 0;
}

void TensorboardLogger::log_histograms(int64_t step, const Histograms& histograms) {
  if (histograms.empty()) return;
  append(histograms_record(wall_time(), step, histograms));
  count(step);
}

void TensorboardLogger::finalize(const std::string& /*status*/) {
  if (::fsync(file_.get()) != 0 && errno != EINVAL) support::throw_file_error("write", path(), errno);
  if (const int error = file_.close(); error != 0) support::throw_file_error("write", path(), error);
}

void TensorboardLogger::make_file() {
  const auto seconds = static_cast<int64_t>(wall_time());
  for (int number = 0; !file_.is_open(); ++number) {
    const std::string name = event_file_name(folder_, seconds, number);
    const fs::path path = folder_ / name;
    file_ = support::FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.is_open()) position_.files.push_back({name, 0});
    if (!file_.is_open() && errno != EEXIST) support::throw_file_error("write", path, errno);
  }
}

void TensorboardLogger::append(const std::string& record) {
  int64_t& bytes = position_.files.back().bytes;
  if (const int error = support::write_all_at(file_.get(), record, bytes); error != 0) {
    // Its space is there. Where this fails nothing better can be done, and the first error is the one to
    // report.
    [[maybe_unused]] const int ignored = ::ftruncate(file_.get(), bytes);
    support::throw_file_error("write", path(), error);
  }
  bytes += std::ssize(record);
}

void TensorboardLogger::count(int64_t step) {
  position_.next_step = std::max(position_.next_step, step + 1);
}

fs::path TensorboardLogger::path() const {
  return folder_ / position_.files.back().name;
}

}  // namespace lightrun::loggers
