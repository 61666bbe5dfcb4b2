#pragma once

#include <lightrun/export.hpp>

#include <torch/types.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lightrun {

/// What one step sees: named fields, in the order they were given. A field is a tensor whose first dimension
/// counts samples (`[N, ...]`), or a list of N tensors of different lengths (for packed sequences).
/// Copies share the tensors.
class LIGHTRUN_API Batch {
 public:
  using Field = std::variant<torch::Tensor, std::vector<torch::Tensor>>;
  using Fields = std::vector<std::pair<std::string, Field>>;

  Batch() = default;
  Batch(std::initializer_list<std::pair<std::string, Field>> fields) : fields_(fields) {}

  /// The tensor called `name`. Throws RunError, listing the fields there are, where there is none or it is a
  /// list.
  [[nodiscard]] const torch::Tensor& operator[](std::string_view name) const;

  /// The list of tensors called `name`. Throws RunError as above.
  [[nodiscard]] const std::vector<torch::Tensor>& list(std::string_view name) const;

  [[nodiscard]] bool contains(std::string_view name) const;

  /// Adds a field, or replaces the one of that name.
  void set(std::string name, Field field);

  /// Number of samples N, from the first field; 0 without fields.
  [[nodiscard]] int64_t size() const;

  /// A batch without samples; the loop skips it.
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// The same fields on `device`. Tensors that are there already are shared, not copied.
  [[nodiscard]] Batch to(torch::Device device) const;

  [[nodiscard]] const Fields& fields() const { return fields_; }

 private:
  [[nodiscard]] const Field& at(std::string_view name) const;

  Fields fields_;
};

}  // namespace lightrun
