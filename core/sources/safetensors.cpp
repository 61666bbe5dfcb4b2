#include "state/safetensors.hpp"
#include "sources/check_path.hpp"
#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <map>
#include <string>
#include <variant>

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

/// Each tensor must have a row for every sample.
void check_rows(const std::string& path, const Batch& fields) {
  const std::string* first = nullptr;
  int64_t rows = 0;
  for (const auto& [name, field] : fields.fields()) {
    const auto* tensor = std::get_if<torch::Tensor>(&field);
    if (tensor == nullptr) continue;
    if (tensor->dim() == 0)
      throw RunError(fmt::format("{}: '{}' is a single number, not samples [N, ...]", path, name));
    if (first == nullptr) {
      first = &name;
      rows = tensor->size(0);
    } else if (tensor->size(0) != rows) {
      throw RunError(fmt::format("{}: '{}' has {} rows, but '{}' has {}; every field needs a row a sample",
                                 path, name, tensor->size(0), *first, rows));
    }
  }
}

}  // namespace

std::unique_ptr<Source> open_source(const config::SafetensorsSource& spec) {
  check_file("path", spec.path);
  const auto tensors = state::read_safetensors(spec.path).tensors;
  Batch fields;
  if (spec.fields) {
    for (const auto& [field, name] : *spec.fields)
      fields.set(field, tensor_called(tensors, name, field, spec.path));
  } else {
    for (const auto& [name, tensor] : tensors) fields.set(name, tensor);
  }
  check_rows(spec.path, fields);
  try {
    return std::make_unique<PlainSource>(std::make_shared<TensorDataset>(std::move(fields)));
  } catch (const RunError& error) {
    throw RunError(spec.path + ": " + error.what());
  }
}

}  // namespace lightrun::sources
