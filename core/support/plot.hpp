#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lightrun::support {

/// A curve in characters: `height` lines of a scale on the left and a star for each column's value, then an
/// axis. `values` are spread over at most `width` columns, the scale included; of several in one column the
/// greatest and the least are shown, so that no peak is lost. Values must be finite. Empty for no values.
[[nodiscard]] std::vector<std::string> plot(const std::vector<double>& values, std::size_t width,
                                            std::size_t height);

}  // namespace lightrun::support
