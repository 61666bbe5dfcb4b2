#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::support {

/// A folder that no other run has.
struct RunFolder {
  std::filesystem::path path;  ///< `<dir>/<name>/<number>`
  std::string warning;         ///< why `latest` does not point to it; empty: it does
};

/// Makes the folder of a new run of `name`: its number is one more than the highest that exists, from 0;
/// entries that are not numbers do not count. Runs that start together get a folder each. The link
/// `<dir>/<name>/latest` is pointed to it. Throws RunError naming the path and the system's reason.
[[nodiscard]] RunFolder make_run_folder(const std::filesystem::path& dir, std::string_view name);

/// Makes the folder that was asked for by its path, and its parents; one that is there already is left as it
/// is, also where it is a link to a folder. Throws RunError naming the path and the system's reason.
void make_fixed_run_folder(const std::filesystem::path& path);

/// The folders of all runs of `name`, that of the highest number first, whether anything is in them or not.
/// The link `latest` is not asked: it may be out of date. Throws RunError where `<dir>/<name>` is there and
/// cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> run_folders(const std::filesystem::path& dir,
                                                             std::string_view name);

/// Whether a run has written to `folder` what another one would spoil: config.yaml, metrics.csv, log.txt or a
/// file in checkpoints/. Other files do not count, nor do the temporary ones of killed processes; a folder
/// that does not exist holds no run. Throws RunError where it cannot be read.
[[nodiscard]] bool holds_a_run(const std::filesystem::path& folder);

/// Removes the temporary files (is_temporary_file) that killed processes left in `folder`, and answers their
/// names, in order. Those of living processes have the same names: only for who holds the folder (RunLock).
/// Files in its subfolders, links and folders stay, whatever their name; so does a file that cannot be
/// removed, which is no error. A folder that does not exist has none. Throws RunError where it cannot be
/// read.
std::vector<std::string> sweep_temporaries(const std::filesystem::path& folder);

}  // namespace lightrun::support
