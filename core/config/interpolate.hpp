#pragma once

#include <string>
#include <string_view>

namespace lightrun::config {

/// Text with its `${env:NAME}` replaced, and what is wrong with it ("" if nothing is).
struct Interpolated {
  std::string text;
  std::string error = {};
};

/// Replaces `${env:NAME}` by the environment variable, `${env:NAME:-default}` by the default where the
/// variable is unset or empty (as the shell does). `$${env:` stands for the text `${env:` itself. Nothing is
/// replaced in what was put in.
[[nodiscard]] Interpolated interpolate(std::string_view text);

/// YAML text in which each `${env:...}` is free of what YAML takes for its own ({}[],?:#), so that it may
/// stand without quotes anywhere, also in `{name: ${env:X}}`. Bytes stay in their places.
[[nodiscard]] std::string hide_interpolations(std::string_view yaml);

/// Undoes it in what has been read.
[[nodiscard]] std::string show_interpolations(std::string_view text);

/// Text that interpolates to `text`.
[[nodiscard]] std::string escape_interpolation(std::string_view text);

}  // namespace lightrun::config
