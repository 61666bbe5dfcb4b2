#include "engine/chrome_trace.hpp"

#include "support/quantity.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <utility>

namespace lightrun::engine {
namespace {

constexpr std::size_t kMuchBytes = 1 << 16;
constexpr std::chrono::seconds kWriteInterval{1};
constexpr std::string_view kArrayEnd = "\n]\n";

/// "1520.125": microseconds.
std::string microseconds_text(std::chrono::nanoseconds time) {
  return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
}

std::string json_text(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string metadata_text(std::string_view what, int tid, std::string_view name) {
  return fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what, ::getpid(),
                     tid, json_text(name));
}

int this_thread() {
  thread_local const int tid = ::gettid();
  return tid;
}

/// As the system has it; the main thread's is the program's.
std::string thread_name() {
  if (this_thread() == ::getpid()) return "training";
  std::array<char, 16> name = {};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  return name.data();
}

}  // namespace

std::chrono::steady_clock::time_point tick() {
  using Clock = std::chrono::steady_clock;
  thread_local Clock::time_point last;
  last = std::max(Clock::now(), last + Clock::duration(1));
  return last;
}

ChromeTrace::ChromeTrace(const std::filesystem::path& folder, Limits limits) : limits_(limits) {
  make_file(folder);
  pending_ = "[\n" + metadata_text("process_name", this_thread(), "lightrun " + folder.string());
  is_open_ = file_.is_open();
  write();
}

void ChromeTrace::make_file(const std::filesystem::path& folder) {
  for (int number = 1; !file_.is_open(); ++number) {
    path_ = folder / (number == 1 ? std::string("profile.json") : fmt::format("profile-{}.json", number));
    file_ = support::FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file_.is_open() && errno != EEXIST) return fail(errno);
  }
}

int64_t ChromeTrace::limit(Category category) const {
  return category == Category::hook ? limits_.hooks : limits_.operators;
}

void ChromeTrace::add(Category category, std::string_view name, Time start, Time end) {
  const std::lock_guard lock(mutex_);
  if (!is_open_ || seen_[static_cast<std::size_t>(category)]++ >= limit(category)) return;
  const int tid = this_thread();
  if (named_threads_.insert(tid).second) name_thread(tid);
  fmt::format_to(std::back_inserter(pending_),
                 ",\n"
                 R"({{"name":{},"cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{}}})",
                 json_text(name), category == Category::hook ? "hook" : "operator",
                 microseconds_text(start - start_), microseconds_text(end - start), ::getpid(), tid);
}

void ChromeTrace::name_thread(int tid) {
  pending_ += ",\n" + metadata_text("thread_name", tid, thread_name());
}

bool ChromeTrace::takes(Category category) {
  const std::lock_guard lock(mutex_);
  return is_open_ && seen_[static_cast<std::size_t>(category)] < limit(category);
}

void ChromeTrace::write_if_due() {
  const Time now = std::chrono::steady_clock::now();
  bool is_due = now - written_at_ >= kWriteInterval;
  if (!is_due) {
    const std::lock_guard lock(mutex_);
    is_due = pending_.size() >= kMuchBytes;
  }
  if (is_due) write();
}

void ChromeTrace::write() {
  written_at_ = std::chrono::steady_clock::now();
  writing_.clear();
  {
    const std::lock_guard lock(mutex_);
    std::swap(writing_, pending_);
  }
  if (!file_.is_open() || writing_.empty()) return;
  const int64_t end = end_ + std::ssize(writing_);
  writing_ += kArrayEnd;
  if (const int error = support::write_all_at(file_.get(), writing_, end_); error != 0) return fail(error);
  end_ = end;
}

/// What was whole before is made so again: its space is there.
void ChromeTrace::fail(int error) {
  failed_ = true;
  if (file_.is_open() && end_ == 0) {
    ::unlink(path_.c_str());
  } else if (file_.is_open() && ::ftruncate(file_.get(), end_ + std::ssize(kArrayEnd)) == 0) {
    static_cast<void>(support::write_all_at(file_.get(), kArrayEnd, end_));
  }
  file_ = support::FileDescriptor();
  spdlog::warn("cannot write {}: {}; the run goes on without", path_.string(), support::errno_text(error));
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  pending_.clear();
}

void ChromeTrace::close() {
  write();
  {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
  }
  if (!file_.is_open()) return;
  if (const int error = file_.close(); error != 0) fail(error);
}

std::optional<std::string> ChromeTrace::summary() {
  if (failed_) return std::nullopt;
  std::string text = path_.string() + ": hooks and operators over time, for ui.perfetto.dev";
  const std::lock_guard lock(mutex_);
  for (const auto& [category, name] : {std::pair{Category::hook, "hooks"}, {Category::op, "operators"}}) {
    if (seen_[static_cast<std::size_t>(category)] >= limit(category))
      text += fmt::format("; only the first {} {}", support::grouped_text(limit(category)), name);
  }
  return text;
}

}  // namespace lightrun::engine
