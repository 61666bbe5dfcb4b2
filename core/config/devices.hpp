#pragma once

#include "config/codec.hpp"

#include <string>
#include <vector>

namespace lightrun::config {

/// `trainer.devices`. A scalar is one device (`cpu`, `cuda`, `cuda:1`), a count (`1`, also quoted) or `auto`
/// (also -1); in a list a number is the index of a GPU: [0] is [cuda:0]. Gives "cpu", "cuda:N" or "auto", one
/// a device; a count leaves the kind open ("auto"). A GPU given twice is refused, and so far more than one
/// device.
[[nodiscard]] Codec<std::vector<std::string>> devices();

}  // namespace lightrun::config
