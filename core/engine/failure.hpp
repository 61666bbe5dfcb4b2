#pragma once

#include <exception>
#include <string>

namespace lightrun::engine {

/// The first line of what an exception says, without LibTorch's stack trace; "an exception of unknown type"
/// where it is no std::exception.
[[nodiscard]] std::string describe(const std::exception_ptr& error);

}  // namespace lightrun::engine
