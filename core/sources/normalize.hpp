#pragma once

#include "config/data_spec.hpp"

#include <lightrun/data.hpp>
#include <lightrun/state_dict.hpp>

#include <memory>

namespace lightrun::sources {

/// Learns shift and scale of each field that `spec` means from all samples of `training`, in one pass, each
/// feature (the last dimension of [N, F] and [N, T, F]) or channel (of [N, C, H, W]) for itself. Puts them
/// into `learned`, under names that begin with "normalize.". A feature that never changes is only shifted.
/// Throws WrongSetting where there is no such field, or not of floating-point numbers; RunError where a value
/// is not finite.
void learn_normalization(const config::NormalizeSpec& spec, Dataset& training, StateDict& learned);

/// `data` with the fields in `learned` normalized: (x - shift) / scale.
[[nodiscard]] std::shared_ptr<Dataset> normalized(std::shared_ptr<Dataset> data, const StateDict& learned);

}  // namespace lightrun::sources
