#pragma once

#include "config/codec.hpp"

namespace lightrun::config {

/// A length of time > 0, kept in seconds: a number of seconds (`90`, `0.5`), units (`1h30m`, `2d`, `45s`), or
/// Lightning's `DD:HH:MM:SS` (`00:01:30:00`). Written as seconds.
[[nodiscard]] Codec<double> duration();

}  // namespace lightrun::config
