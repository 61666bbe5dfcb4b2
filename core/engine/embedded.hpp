#pragma once

#include <lightrun/callback.hpp>
#include <lightrun/module.hpp>

#include <memory>
#include <vector>

namespace lightrun::engine {

/// What a program that embeds lightrun brings itself.
struct Embedded {
  std::shared_ptr<Module> model = {};                     ///< in place of the config's plugin
  std::vector<std::unique_ptr<Callback>> callbacks = {};  ///< after the config's
};

}  // namespace lightrun::engine
