#include "support/log_sink.hpp"

#include "support/file_descriptor.hpp"
#include "support/line_printer.hpp"

#include <spdlog/sinks/base_sink.h>

#include <mutex>
#include <string_view>

namespace lightrun::support {
namespace {

class LogSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  LogSink(LinePrinter& printer, int fd) : printer_(printer), fd_(fd) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    // A log that cannot be shown has nowhere to say so.
    printer_.interrupt(
        [&] { static_cast<void>(write_all(fd_, std::string_view(text.data(), text.size()))); });
  }

  void flush_() override {}

 private:
  LinePrinter& printer_;
  int fd_;
};

}  // namespace

std::shared_ptr<spdlog::sinks::sink> make_log_sink(LinePrinter& printer, int fd) {
  return std::make_shared<LogSink>(printer, fd);
}

}  // namespace lightrun::support
