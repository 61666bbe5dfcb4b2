#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::config {

/// More names than this are not listed in a message; it says kSeeReference.
inline constexpr std::size_t kMostNames = 16;
inline constexpr const char* kSeeReference = "lightrun reference lists all settings";

/// What is said about a key that is not one of `known`, the keys at `place` ("trainer"; "" at the top level):
///   "unknown key (did you mean max_epochs?)",
///   "unknown key (it belongs under trainer)", "unknown key (did you mean max_epochs, under trainer?)", or
///   "unknown key (known here: batch_size, shuffle, drop_last)"; of many no list, but where to find one.
/// `type`: of a block; its key may belong to another type: "unknown key (adam has no momentum; sgd and
/// rmsprop have)".
[[nodiscard]] std::string unknown_key(std::string_view key, const std::vector<std::string>& known,
                                      std::string_view place, std::string_view type = "");

}  // namespace lightrun::config
