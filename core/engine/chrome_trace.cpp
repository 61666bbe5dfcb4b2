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

/// As JSON has it, in quotes. What stands for itself, as in names of operators, is not looked at twice: this
/// is done for every event.
void append_text(std::string& to, std::string_view text) {
  const bool is_plain =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (is_plain) {
    ((to += '"') += text) += '"';
  } else {
    using Json = nlohmann::json;
    to += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

int this_process() {
  static const int pid = ::getpid();
  return pid;
}

int this_thread() {
  thread_local const int tid = ::gettid();
  return tid;
}

std::string metadata_text(std::string_view what, int tid, std::string_view name) {
  std::string text =
      fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":)", what, this_process(), tid);
  append_text(text, name);
  return text + "}}";
}

/// As the system has it; the main thread's is the program's.
std::string thread_name() {
  if (this_thread() == this_process()) return "training";
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
  pending_ += ",\n{\"name\":";
  append_text(pending_, name);
  const int64_t at = std::chrono::nanoseconds(start - start_).count();
  const int64_t length = std::chrono::nanoseconds(end - start).count();
  fmt::format_to(std::back_inserter(pending_),
                 R"(,"cat":"{}","ph":"X","ts":{}.{:03},"dur":{}.{:03},"pid":{},"tid":{}}})",
                 category == Category::hook ? "hook" : "operator", at / 1000, at % 1000, length / 1000,
                 length % 1000, this_process(), tid);
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
