#include "support/version.hpp"

namespace lightrun::support {

const char* version() {
  return LIGHTRUN_VERSION;
}

}  // namespace lightrun::support
