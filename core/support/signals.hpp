#pragma once

#include <array>
#include <csignal>
#include <optional>

namespace lightrun::support {

/// Of the calling thread: signals are left to the others.
void block_signals();

/// While one lives, SIGINT, SIGTERM and SIGHUP ask for a stop instead of ending the process: the first one is
/// noted, for the loop to look at between batches, and says so on stderr; a second one, of any of the three,
/// leaves at once with exit code 128 + n. A SIGHUP that is ignored (nohup) stays ignored. SIGUSR1 asks for a
/// save instead, as often as it comes: it is noted, and nothing else. At most one object at a time.
class StopSignals {
 public:
  StopSignals();
  /// Puts the earlier handlers back.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The first signal since construction that asks for a stop, or nothing. Costs one load.
  [[nodiscard]] std::optional<int> received() const;

  /// Whether a SIGUSR1 came since the last call, or since construction: several are one request.
  [[nodiscard]] bool take_save_request();

  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

 private:
  std::array<struct sigaction, kSignals.size()> earlier_ = {};
  struct sigaction earlier_save_ = {};
};

}  // namespace lightrun::support
