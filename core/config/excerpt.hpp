#pragma once

#include <string>
#include <vector>

namespace lightrun::config {

/// An error as a person sees it: beneath each line of `text` that begins with a place in a file
/// ("a.yaml:3:5: ...") that line of the file, with a caret under the column, as compilers show it; beneath
/// one that begins with a flag, or with the program's name and names a word that was given ("lightrun plan:
/// there is no option --bogus"), the command line. Lines that are too long for 80 columns are cut around the
/// caret.
/// @param words the command line, the program's name first
[[nodiscard]] std::string with_excerpts(const std::string& text, const std::vector<std::string>& words);

}  // namespace lightrun::config
