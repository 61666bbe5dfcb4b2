#pragma once

namespace lightrun::support {

/// Of this build of lightrun: "0.1.0".
[[nodiscard]] const char* version();

}  // namespace lightrun::support
