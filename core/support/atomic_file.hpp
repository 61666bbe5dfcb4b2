#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace lightrun::support {

/// Makes `path` hold what `write` writes, or leaves it as it was: a temporary file in the same folder is
/// written, synced to the disk and renamed over it, then the folder is synced. Whoever opens `path`, also
/// after a crash or a power failure, finds the old content or the new one, whole. The stream may be seeked.
/// Throws RunError naming the path and the system's reason; what `write` throws comes through. Either way no
/// temporary stays behind (one of a process that was killed does; see is_temporary_file).
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);

/// The same with bytes that are there already.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Where process `pid` writes what becomes `path`: `<folder>/.<name>.tmp-<pid>`.
[[nodiscard]] std::filesystem::path temporary_path(const std::filesystem::path& path, int pid);

/// Whether a file of this name (without its folder) is such a temporary.
[[nodiscard]] bool is_temporary_file(std::string_view name);

/// Makes what was created, renamed or removed in `folder` survive a power failure. Throws RunError.
void sync_folder(const std::filesystem::path& folder);

}  // namespace lightrun::support
