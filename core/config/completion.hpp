#pragma once

#include <string>
#include <vector>

namespace lightrun::config {

/// What may stand for the last of `words` on a command line that takes config files and settings: flags of
/// settings ("--trainer.max_epochs", and "--max_epochs" where that is enough), or values, where the word
/// before is a flag whose values are known words. All that begin with what is typed already, sorted; nothing
/// where nothing is known, such as of a file's name.
/// @param words after the command, the last one being typed, maybe ""
/// @param other_flags flags that are no settings: "--resume"
[[nodiscard]] std::vector<std::string> complete_settings(const std::vector<std::string>& words,
                                                         const std::vector<std::string>& other_flags);

}  // namespace lightrun::config
