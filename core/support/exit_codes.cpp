#include "support/exit_codes.hpp"

#include <lightrun/error.hpp>

namespace lightrun::support {

std::vector<ExitCodeText> exit_codes() {
  return {
#define LIGHTRUN_EXIT_CODE(name, number, meaning) {#number, meaning},
      LIGHTRUN_EXIT_CODES(LIGHTRUN_EXIT_CODE)
#undef LIGHTRUN_EXIT_CODE
          {"128+n", "stopped by signal n"}};
}

}  // namespace lightrun::support
