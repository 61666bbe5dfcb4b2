#include "engine/logging.hpp"

#include "support/line_printer.hpp"
#include "support/log_sink.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <utility>

namespace lightrun::engine {

Logging::Logging(support::LinePrinter& printer, bool verbose) : earlier_(spdlog::default_logger()) {
  auto screen = support::make_log_sink(printer, STDERR_FILENO);
  screen->set_level(verbose ? spdlog::level::debug : spdlog::level::warn);
  screen->set_pattern("%^%l%$: %v");
  auto logger = std::make_shared<spdlog::logger>("lightrun", std::move(screen));
  logger->set_level(spdlog::level::debug);
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
}

Logging::~Logging() {
  spdlog::set_default_logger(earlier_);
}

void Logging::add_file(const std::string& path) {
  file_ = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  file_->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
  spdlog::default_logger()->sinks().push_back(file_);
}

void Logging::error_to_file(const std::string& text) {
  if (!file_) return;
  spdlog::logger("lightrun", file_).error("{}", text);
  file_->flush();
}

}  // namespace lightrun::engine
