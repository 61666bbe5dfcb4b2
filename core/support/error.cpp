#include <lightrun/error.hpp>

namespace lightrun {

// Out of line, so that each class's type information lives in one library and exceptions cross every border.
Error::~Error() = default;
UsageError::~UsageError() = default;
ConfigError::~ConfigError() = default;
PluginError::~PluginError() = default;
RunError::~RunError() = default;
NonFiniteError::~NonFiniteError() = default;

}  // namespace lightrun
