#pragma once

#include "config/checkpoint_name.hpp"

#include <lightrun/context.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lightrun::engine {

/// What a checkpoint of this instant is called after a pattern: `{epoch}-{val_loss:.3f}` gives
/// "epoch=3-val_loss=0.123", as in Lightning. Epochs count from 0. A metric that is not there is nan.
[[nodiscard]] std::string checkpoint_name(const std::vector<config::NamePiece>& pattern,
                                          const Context& context);

/// The first metric in the pattern that is not there.
[[nodiscard]] std::optional<std::string> unknown_metric(const std::vector<config::NamePiece>& pattern,
                                                        const Context& context);

}  // namespace lightrun::engine
