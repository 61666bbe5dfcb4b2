#include "sources/arrays.hpp"
#include "sources/check_path.hpp"
#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <string>

namespace lightrun::sources {
namespace {

/// LibTorch's models are of float32, NumPy's arrays of float64 unless one says so.
class Npy : public TensorDataset {
 public:
  using TensorDataset::TensorDataset;
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override {
    const Batch stored = TensorDataset::get(indices);
    Batch batch;
    for (const auto& [name, field] : stored.fields()) {
      const auto& tensor = std::get<torch::Tensor>(field);
      batch.set(name, tensor.is_floating_point() ? tensor.to(torch::kFloat32) : tensor);
    }
    return batch;
  }
};

}  // namespace

std::unique_ptr<Source> open_source(const config::NpySource& spec) {
  Batch fields;
  for (const auto& [name, path] : spec.fields) {
    check_file("fields." + name, path);
    const auto tensor = read_npy(path);
    if (tensor.dim() == 0)
      throw WrongSetting("fields." + name, path + ": is a single number, not samples [N, ...]");
    if (!fields.fields().empty() && tensor.size(0) != fields.size()) {
      const auto& first = *spec.fields.begin();
      throw WrongSetting("fields." + name, path + ": holds " + std::to_string(tensor.size(0)) +
                                               " samples, but " + first.second + " holds " +
                                               std::to_string(fields.size()));
    }
    fields.set(name, tensor);
  }
  return std::make_unique<PlainSource>(std::make_shared<Npy>(std::move(fields)));
}

}  // namespace lightrun::sources
