#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lightrun::report {

/// All bytes of a file, or nothing where there is none. Throws RunError where it cannot be read.
[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& path);

}  // namespace lightrun::report
