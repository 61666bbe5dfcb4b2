#pragma once

#include <exception>
#include <string>

namespace lightrun::engine {

/// The first line of what an exception says, without LibTorch's stack trace; "an exception of unknown type"
/// where it is no std::exception.
[[nodiscard]] std::string describe(const std::exception_ptr& error);

struct Run;

/// In a catch block after fit(), test() or predict(): throws what ended the run as one of our own errors. A
/// foreign exception becomes a RunError that says in which hook and where.
[[noreturn]] void throw_as_error(const Run& run);

}  // namespace lightrun::engine
