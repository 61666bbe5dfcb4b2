#pragma once

#include <lightrun/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun {

/// One field of a dataset's batches.
struct LIGHTRUN_API FieldInfo {
  std::string name;
  std::vector<int64_t> shape;  ///< of one sample: [3, 32, 32], [] of a number; not known of a list
  std::string dtype;           ///< "float32", "int64", as Python has it
  /// Of whole numbers: they are in [0, classes); 0: not known. Of several columns, see `column_classes`.
  int64_t classes = 0;
  std::vector<std::string> labels;   ///< what the classes are called, or the texts of tokens; may be empty
  std::vector<std::string> columns;  ///< names of the last dimension's entries; may be empty
  std::vector<int64_t>
      column_classes;  ///< of columns of categories: each has numbers in [0, column_classes[i])

  /// Size of a dimension of one sample (from 0). Throws ConfigError, naming the field and its shape, where
  /// samples have no such dimension.
  [[nodiscard]] int64_t size(std::size_t dimension) const;
};

/// What a model can know of its data before the first batch.
struct LIGHTRUN_API DataInfo {
  std::vector<FieldInfo> fields;

  [[nodiscard]] bool empty() const { return fields.empty(); }
  /// nullptr where there is none of that name.
  [[nodiscard]] const FieldInfo* find(std::string_view name) const;
  /// Throws RunError, listing the fields there are, where there is none of that name.
  [[nodiscard]] const FieldInfo& at(std::string_view name) const;
};

}  // namespace lightrun
