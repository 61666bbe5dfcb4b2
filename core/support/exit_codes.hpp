#pragma once

#include <string>
#include <vector>

namespace lightrun::support {

/// One row of what users read about exit codes.
struct ExitCodeText {
  std::string code;  ///< "3", "128+n"
  std::string meaning;
};

/// Every exit code of `lightrun`, signals last.
[[nodiscard]] std::vector<ExitCodeText> exit_codes();

}  // namespace lightrun::support
