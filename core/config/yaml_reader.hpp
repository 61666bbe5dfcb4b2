#pragma once

#include "config/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// YAML text to Value, through yaml-cpp's events (its nodes lose positions and duplicates). Nothing of
/// yaml-cpp, its exceptions included, goes past here.
///
/// Beyond YAML 1.2: a duplicate key, a second document, a tag, a key that is not text and an unclosed quote
/// are problems; `<<` merges (own keys win, then earlier list entries); anchors are copied, at most 100,000
/// values in all and 100 levels deep; `${env:NAME}` and `${env:NAME:-default}` are replaced in every value.
namespace lightrun::config {

/// The document's value; an empty one is null. Adds what is wrong to `problems`; nothing is returned where no
/// tree could be made of it. `file` only names it.
[[nodiscard]] std::optional<Value> read_yaml(std::string_view text, const std::string& file,
                                             std::vector<Problem>& problems);

/// The same of a file, which must hold a map of settings. A file that is empty, missing or unreadable is a
/// problem.
[[nodiscard]] std::optional<Value> read_yaml_file(const std::string& path, std::vector<Problem>& problems);

/// The same of what follows `flag` on the command line: every place in it is the flag.
[[nodiscard]] std::optional<Value> read_flag_value(std::string_view text, const std::string& flag,
                                                   std::vector<Problem>& problems);

}  // namespace lightrun::config
