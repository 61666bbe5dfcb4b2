#include "loggers/csv_text.hpp"
#include "loggers/number_text.hpp"
#include "predictions/formats.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::predictions {
namespace {

using Labels = std::vector<std::string>;

struct CsvColumn {
  std::string name;
  std::function<std::string(int64_t row)> cell;
};

template <typename Number, typename Text>
CsvColumn column_of(std::string name, const torch::Tensor& values, torch::ScalarType type, Text text) {
  const torch::Tensor plain = values.to(type).contiguous();
  const Number* numbers = plain.data_ptr<Number>();
  return {std::move(name), [plain, numbers, text](int64_t row) { return text(numbers[row]); }};
}

/// @param values [N]
CsvColumn number_column(std::string name, const torch::Tensor& values) {
  const auto exact = [](auto value) { return loggers::number_text(value); };
  if (values.scalar_type() == torch::kFloat64)
    return column_of<double>(std::move(name), values, torch::kFloat64, exact);
  if (values.is_floating_point()) return column_of<float>(std::move(name), values, torch::kFloat32, exact);
  return column_of<int64_t>(std::move(name), values, torch::kInt64,
                            [](int64_t value) { return std::to_string(value); });
}

/// The field of the data that is one class a sample, with the classes' names.
const FieldInfo* class_field(const DataInfo& info) {
  const auto found = std::ranges::find_if(
      info.fields, [](const FieldInfo& field) { return field.shape.empty() && !field.labels.empty(); });
  return found == info.fields.end() ? nullptr : &*found;
}

/// All of them are numbers of classes.
bool are_classes(const torch::Tensor& values, const Labels& labels) {
  if (values.dim() != 1 || !c10::isIntegralType(values.scalar_type(), /*includeBool=*/false)) return false;
  return values.numel() == 0 || (values.min().item<int64_t>() >= 0 &&
                                 values.max().item<int64_t>() < static_cast<int64_t>(labels.size()));
}

void add_columns(std::vector<CsvColumn>& columns, const std::string& name, const torch::Tensor& values,
                 const FieldInfo* classes) {
  const bool means_class = classes && (name == "prediction" || name == classes->name);
  if (means_class && are_classes(values, classes->labels)) {
    columns.push_back(column_of<int64_t>(name, values, torch::kInt64, [classes](int64_t value) {
      return classes->labels[static_cast<std::size_t>(value)];
    }));
    return;
  }
  if (values.dim() == 1) {
    columns.push_back(number_column(name, values));
    return;
  }
  const bool is_number_a_class =
      classes && values.is_floating_point() && values.size(1) == static_cast<int64_t>(classes->labels.size());
  for (int64_t k = 0; k < values.size(1); ++k) {
    const std::string part =
        is_number_a_class ? classes->labels[static_cast<std::size_t>(k)] : std::to_string(k);
    columns.push_back(number_column(name + '.' + part, values.select(1, k)));
  }
}

}  // namespace

void write_csv(std::ostream& out, const Fields& fields, const DataInfo& info) {
  const FieldInfo* const classes = class_field(info);
  std::vector<CsvColumn> columns;
  for (const auto& [name, values] : fields) add_columns(columns, name, values, classes);
  std::vector<std::string> cells;
  for (const auto& column : columns) cells.push_back(column.name);
  out << loggers::csv_line(cells);
  const int64_t rows = fields.front().second.size(0);
  for (int64_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) cells[i] = columns[i].cell(row);
    out << loggers::csv_line(cells);
  }
}

}  // namespace lightrun::predictions
