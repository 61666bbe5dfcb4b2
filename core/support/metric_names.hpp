#pragma once

#include <string>
#include <vector>

namespace lightrun::support {

/// "no metric 'val_los' was logged (did you mean val_loss?); there are train_loss, val_loss".
[[nodiscard]] std::string missing_metric(const std::string& name, const std::vector<std::string>& known);

}  // namespace lightrun::support
