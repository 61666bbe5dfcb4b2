#include "state/safetensors.hpp"
#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <filesystem>

namespace lightrun::sources {
namespace {

const torch::Tensor& tensor_called(const std::map<std::string, torch::Tensor>& tensors,
                                   const std::string& name, const std::string& field,
                                   const std::string& path) {
  const auto at = tensors.find(name);
  if (at != tensors.end()) return at->second;
  std::string names;
  for (const auto& [there, tensor] : tensors) names += (names.empty() ? "" : ", ") + there;
  throw WrongSetting("fields." + field, path + " has no tensor '" + name + "'; it has " + names);
}

}  // namespace

std::unique_ptr<Source> open_source(const config::SafetensorsSource& spec) {
  if (!std::filesystem::exists(spec.path)) throw WrongSetting("path", spec.path + ": there is no such file");
  const auto tensors = state::read_safetensors(spec.path).tensors;
  Batch fields;
  if (spec.fields) {
    for (const auto& [field, name] : *spec.fields)
      fields.set(field, tensor_called(tensors, name, field, spec.path));
  } else {
    for (const auto& [name, tensor] : tensors) fields.set(name, tensor);
  }
  try {
    return std::make_unique<PlainSource>(std::make_shared<TensorDataset>(std::move(fields)));
  } catch (const RunError& error) {
    throw RunError(spec.path + ": " + error.what());
  }
}

}  // namespace lightrun::sources
