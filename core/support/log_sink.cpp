#include "support/log_sink.hpp"

#include "support/file_descriptor.hpp"
#include "support/line_printer.hpp"
#include "support/style.hpp"
#include "support/terminal.hpp"

#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace lightrun::support {
namespace {

class LogSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  LogSink(LinePrinter& printer, int fd) : printer_(printer), fd_(fd), style_(look_at_terminal(fd).color) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t plain;
    formatter_->format(message, plain);
    const std::string text = colored({plain.data(), plain.size()}, message);
    // A log that cannot be shown has nowhere to say so.
    printer_.interrupt([&] { static_cast<void>(write_all(fd_, text)); });
  }

  void flush_() override {}

 private:
  /// With colour in what the pattern has between %^ and %$.
  [[nodiscard]] std::string colored(std::string_view text, const spdlog::details::log_msg& message) const {
    const std::size_t begin = std::min(message.color_range_start, text.size());
    const std::size_t end = std::clamp(message.color_range_end, begin, text.size());
    const std::string_view word = text.substr(begin, end - begin);
    std::string result(text.substr(0, begin));
    if (message.level >= spdlog::level::err) {
      result += style_.error(word);
    } else {
      result += message.level == spdlog::level::warn ? style_.warning(word) : std::string(word);
    }
    return result += text.substr(end);
  }

  LinePrinter& printer_;
  int fd_;
  Style style_;
};

}  // namespace

std::shared_ptr<spdlog::sinks::sink> make_log_sink(LinePrinter& printer, int fd) {
  return std::make_shared<LogSink>(printer, fd);
}

}  // namespace lightrun::support
