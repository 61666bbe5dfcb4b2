#include "predictions/output.hpp"

#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace lightrun::predictions {
namespace {

namespace fs = std::filesystem;

constexpr auto kEndings = std::to_array<std::pair<std::string_view, Format>>({
    {".csv", Format::csv},
    {".npy", Format::npy},
    {".safetensors", Format::safetensors},
    {".txt", Format::text},
});

Format format_of(const std::string& path) {
  std::error_code error;
  if (path.ends_with('/') || fs::is_directory(path, error)) return Format::images;
  const std::string ending = fs::path(path).extension().string();
  const auto* found = std::ranges::find(kEndings, ending, &decltype(kEndings)::value_type::first);
  if (found != kEndings.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, format] : kEndings) known.emplace_back(name);
  throw UsageError(
      fmt::format("lightrun predict: --out {}: a file of predictions ends in {}; a folder, for images, in /",
                  path, support::either(known)));
}

/// The folder itself, or the nearest one above it that is there.
fs::path nearest_there(fs::path folder) {
  std::error_code error;
  while (folder.has_relative_path() && !fs::exists(folder, error)) folder = folder.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

void check_can_write(const fs::path& path, const fs::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw RunError(
        fmt::format("cannot write {}: folder {}: {}", path.string(), folder.string(), std::strerror(errno)));
}

}  // namespace

void throw_exists(const fs::path& path) {
  throw RunError(path.string() + " is there already; --overwrite replaces it");
}

std::string image_name(int64_t row) {
  return fmt::format("{:06}.png", row);
}

Output open_output(const std::string& path, std::string field, bool overwrite) {
  Output output{.path = path, .format = format_of(path), .field = std::move(field), .overwrite = overwrite};
  const bool is_folder = output.format == Format::images;
  const fs::path folder = output.path.has_parent_path() ? output.path.parent_path() : fs::path(".");
  check_can_write(output.path, is_folder ? nearest_there(output.path) : folder);
  const fs::path first = is_folder ? output.path / image_name(0) : output.path;
  std::error_code error;
  if (!overwrite && fs::exists(first, error)) throw_exists(first);
  return output;
}

}  // namespace lightrun::predictions
