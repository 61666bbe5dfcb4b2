#pragma once

#include <lightrun/params.hpp>

#include <string>
#include <vector>

namespace lightrun::config {

/// A model, and what may stand under `model.params` for it.
struct ModelParams {
  std::string name;
  std::string help;
  ParamDecls parameters;
};

/// The configs that lightrun takes, as a JSON Schema (draft 7) for editors: every section, block and setting
/// with its help, default and range, trainer settings at the top level too, old names marked as deprecated,
/// and the parameters of `models`. A `${env:...}` may stand for any value.
[[nodiscard]] std::string json_schema(const std::vector<ModelParams>& models);

}  // namespace lightrun::config
