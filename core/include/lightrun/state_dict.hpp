#pragma once

#include <lightrun/export.hpp>

#include <torch/types.h>

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lightrun {

/// Values by name that a checkpoint keeps: of a callback or a model (save_state), of an optimizer. Numbers
/// come back with the same bits, NaN and infinities too.
class LIGHTRUN_API StateDict {
 public:
  using Value = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                             std::vector<std::string>, torch::Tensor>;
  using Values = std::map<std::string, Value, std::less<>>;

  /// Adds a value, or replaces the one of that name. A tensor is shared, not copied.
  void set(std::string name, Value value) { values_.insert_or_assign(std::move(name), std::move(value)); }
  template <std::integral T>
  void set(std::string name, T value) {
    if constexpr (std::same_as<T, bool>)
      set(std::move(name), Value(value));
    else
      set(std::move(name), Value(static_cast<int64_t>(value)));
  }

  [[nodiscard]] bool contains(std::string_view name) const { return values_.find(name) != values_.end(); }

  /// The value of that name; T is one of Value's types. Throws RunError where there is none, or of another
  /// type.
  template <typename T>
  [[nodiscard]] const T& get(std::string_view name) const {
    const auto found = values_.find(name);
    const T* value = found == values_.end() ? nullptr : std::get_if<T>(&found->second);
    if (!value) throw_missing(name);
    return *value;
  }

  [[nodiscard]] const Values& values() const { return values_; }
  [[nodiscard]] bool empty() const { return values_.empty(); }

 private:
  [[noreturn]] void throw_missing(std::string_view name) const;

  Values values_;
};

}  // namespace lightrun
