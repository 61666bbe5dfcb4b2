#include <lightrun/batch.hpp>
#include <lightrun/error.hpp>

#include <algorithm>

namespace lightrun {
namespace {

std::string names(const Batch::Fields& fields) {
  std::string list;
  for (const auto& [name, field] : fields) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

torch::Tensor moved(const torch::Tensor& tensor, torch::Device device) {
  return tensor.device() == device ? tensor : tensor.to(device, /*non_blocking=*/true);
}

}  // namespace

const Batch::Field& Batch::at(std::string_view name) const {
  const auto found =
      std::ranges::find(fields_, name, [](const auto& field) -> std::string_view { return field.first; });
  if (found == fields_.end()) {
    throw RunError("the batch has no field '" + std::string(name) + "'; its fields are: " + names(fields_));
  }
  return found->second;
}

const torch::Tensor& Batch::operator[](std::string_view name) const {
  const auto* tensor = std::get_if<torch::Tensor>(&at(name));
  if (!tensor)
    throw RunError("the batch's field '" + std::string(name) + "' is a list of tensors: use list()");
  return *tensor;
}

const std::vector<torch::Tensor>& Batch::list(std::string_view name) const {
  const auto* tensors = std::get_if<std::vector<torch::Tensor>>(&at(name));
  if (!tensors) throw RunError("the batch's field '" + std::string(name) + "' is one tensor, not a list");
  return *tensors;
}

bool Batch::contains(std::string_view name) const {
  return std::ranges::any_of(fields_, [name](const auto& field) { return field.first == name; });
}

void Batch::set(std::string name, Field field) {
  for (auto& [known, value] : fields_) {
    if (known == name) {
      value = std::move(field);
      return;
    }
  }
  fields_.emplace_back(std::move(name), std::move(field));
}

int64_t Batch::size() const {
  if (fields_.empty()) return 0;
  if (const auto* tensors = std::get_if<std::vector<torch::Tensor>>(&fields_.front().second)) {
    return static_cast<int64_t>(tensors->size());
  }
  const auto& tensor = std::get<torch::Tensor>(fields_.front().second);
  if (!tensor.defined()) return 0;
  return tensor.dim() == 0 ? 1 : tensor.size(0);
}

Batch Batch::to(torch::Device device) const {
  Batch batch;
  for (const auto& [name, field] : fields_) {
    if (const auto* tensor = std::get_if<torch::Tensor>(&field)) {
      batch.fields_.emplace_back(name, moved(*tensor, device));
      continue;
    }
    std::vector<torch::Tensor> list;
    for (const auto& tensor : std::get<std::vector<torch::Tensor>>(field))
      list.push_back(moved(tensor, device));
    batch.fields_.emplace_back(name, std::move(list));
  }
  return batch;
}

}  // namespace lightrun
