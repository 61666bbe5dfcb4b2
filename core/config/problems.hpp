#pragma once

#include "config/value.hpp"

#include <string>
#include <vector>

namespace lightrun::config {

/// Throws what is wrong, one line a problem, in the order of `files` and of the places in them, flags last:
/// UsageError if a flag is among them, else ConfigError. Of several problems of one setting in one place the
/// first is said; without files the flags' problems alone are, if there are any: that all else is missing
/// follows. Does nothing where nothing is wrong.
void throw_if_any(std::vector<Problem> problems, const std::vector<std::string>& files);

}  // namespace lightrun::config
