#pragma once

#include <lightrun/params.hpp>

#include <string>
#include <vector>

namespace lightrun::config {

/// A model, source or callback of a plugin, and what may stand under its `params`.
struct OfferParams {
  std::string name;
  std::string help;
  ParamDecls parameters;
};

struct PluginParams {
  std::vector<OfferParams> models;
  std::vector<OfferParams> sources;
  std::vector<OfferParams> callbacks;
};

/// The configs that lightrun takes, as a JSON Schema (draft 7) for editors: every section, block and setting
/// with its help, default and range, trainer settings at the top level too, old names marked as deprecated,
/// and the parameters of what `plugins` offer. A `${env:...}` may stand for any value.
[[nodiscard]] std::string json_schema(const PluginParams& plugins);

}  // namespace lightrun::config
