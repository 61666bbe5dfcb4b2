#pragma once

#include <memory>

namespace spdlog::sinks {
class sink;
}

namespace lightrun::support {

class LinePrinter;

/// A spdlog sink that writes to `fd` (stderr) with the printer's status line out of its way, each message at
/// once, its level in colour where `fd` is for it. The printer outlives it.
[[nodiscard]] std::shared_ptr<spdlog::sinks::sink> make_log_sink(LinePrinter& printer, int fd);

}  // namespace lightrun::support
