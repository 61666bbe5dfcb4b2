#include "support/signals.hpp"

#include "support/terminal.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace lightrun::support {
namespace {

// A handler can reach nothing but a global; and only a lock-free atomic may be touched by both a handler, on
// whichever thread it runs, and the loop.
std::atomic<int> first_signal = 0;
std::atomic<bool> save_requested = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

std::atomic<bool> on_terminal = false;

constexpr std::string_view kClearLine = "\r\x1b[J";  // a status line, and the terminal's own "^C"
constexpr std::string_view kNewLine = "\n";
constexpr std::string_view kWord = "stopping after this batch; once more to leave at once\n";

void say(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

extern "C" void note_signal(int signal) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal)) {
    say(kNewLine);  // below a status line
    ::_exit(128 + signal);
  }
  const int before = errno;
  say(on_terminal ? kClearLine : kNewLine);
  say(kWord);
  errno = before;
}

extern "C" void note_save_request(int /*signal*/) {
  save_requested = true;
}

}  // namespace

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

StopSignals::StopSignals() {
  first_signal = 0;
  save_requested = false;
  on_terminal = look_at_terminal(STDERR_FILENO).interactive;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;  // a read or write under way is not to fail with EINTR
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &earlier_[i]);
    const bool keeps_ignoring = kSignals[i] == SIGHUP && earlier_[i].sa_handler == SIG_IGN;
    if (!keeps_ignoring) ::sigaction(kSignals[i], &action, nullptr);
  }
  action.sa_handler = note_save_request;
  ::sigaction(SIGUSR1, &action, &earlier_save_);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &earlier_[i], nullptr);
  ::sigaction(SIGUSR1, &earlier_save_, nullptr);
}

std::optional<int> StopSignals::received() const {
  const int signal = first_signal.load(std::memory_order_relaxed);
  return signal == 0 ? std::nullopt : std::optional(signal);
}

bool StopSignals::take_save_request() {
  return save_requested.exchange(false);
}

}  // namespace lightrun::support
