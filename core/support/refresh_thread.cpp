#include "support/refresh_thread.hpp"

#include "support/line_printer.hpp"
#include "support/signals.hpp"

#include <chrono>

namespace lightrun::support {
namespace {

constexpr std::chrono::milliseconds kRefreshInterval{200};

}  // namespace

RefreshThread::RefreshThread(LinePrinter& printer) : printer_(printer) {
  if (printer_.terminal().interactive) thread_ = std::thread([this] { work(); });
}

RefreshThread::~RefreshThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RefreshThread::work() {
  block_signals();
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kRefreshInterval, [this] { return ends_; })) printer_.refresh();
}

}  // namespace lightrun::support
