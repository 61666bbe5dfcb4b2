#pragma once

#include "config/data_spec.hpp"

#include <lightrun/data.hpp>

#include <memory>
#include <vector>

/// Datasets that show another one's samples differently. They ask it, and keep it alive.
namespace lightrun::sources {

/// The samples at `rows` only.
[[nodiscard]] std::shared_ptr<Dataset> subset(std::shared_ptr<Dataset> whole, std::vector<int64_t> rows);

/// Fields under other names: field of `data` -> its name. Throws WrongSetting where there is no such field,
/// or two would have one name.
[[nodiscard]] DataLoader renamed(DataLoader data, const config::Names& names);

}  // namespace lightrun::sources
