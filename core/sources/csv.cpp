#include "sources/check_path.hpp"
#include "sources/csv_table.hpp"
#include "sources/source.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace lightrun::sources {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kNumeric = "csv.numeric";          // names of the numeric features, in order
constexpr const char* kCategorical = "csv.categorical";  // names of the others
constexpr const char* kTarget = "csv.target";
constexpr const char* kMeans = "csv.means";  // of the numeric features
constexpr const char* kCategories =
    "csv.categories.";  // + name: texts of 1, 2, ... (of a target: of 0, 1, ...)

constexpr const char* kEmptyTarget = "is empty, and it is a target";

bool is_among(const Words& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// By value where all are numbers, else by alphabet.
Words in_order(const std::set<std::string>& texts) {
  Words words(texts.begin(), texts.end());
  const auto is_number = [](const std::string& word) { return cell_number(word).has_value(); };
  if (std::ranges::all_of(words, is_number))
    std::ranges::stable_sort(words, {}, [](const std::string& word) { return *cell_number(word); });
  return words;
}

/// The three fields, and what their numbers mean.
class CsvDataset : public TensorDataset {
 public:
  CsvDataset(Batch fields, std::vector<FieldInfo> meanings)
      : TensorDataset(std::move(fields)), meanings_(std::move(meanings)) {}
  [[nodiscard]] DataInfo describe() override {
    DataInfo info = TensorDataset::describe();
    for (FieldInfo& field : info.fields) {
      const auto meaning = std::ranges::find(meanings_, field.name, &FieldInfo::name);
      field.classes = meaning->classes;
      field.labels = meaning->labels;
      field.columns = meaning->columns;
      field.column_classes = meaning->column_classes;
    }
    return info;
  }

 private:
  std::vector<FieldInfo> meanings_;
};

class CsvSource : public Source {
 public:
  explicit CsvSource(const config::CsvSource& spec)
      : spec_(spec), table_(spec.path, spec.delimiter[0], spec.header) {
    for (const auto& [setting, names] : {std::pair{"target", spec_.target},
                                         {"categorical", spec_.categorical},
                                         {"features", spec_.features.value_or(Words())}})
      check_columns(setting, names);
    for (const std::string& name : features()) {
      if (is_among(spec_.target, name)) throw WrongSetting("features", "'" + name + "' is a target, too");
    }
  }

  [[nodiscard]] std::optional<int64_t> size() const override { return table_.rows(); }

  void learn(std::span<const int64_t> rows, StateDict& learned) const override {
    Words numeric, categorical;
    for (const std::string& name : features()) (is_numeric(name) ? numeric : categorical).push_back(name);
    for (const std::string& name : spec_.target) static_cast<void>(is_numeric(name));  // a mix is an error
    std::vector<bool> trains(static_cast<std::size_t>(table_.rows()), false);
    for (const int64_t row : rows) trains[static_cast<std::size_t>(row)] = true;

    std::map<std::size_t, std::set<std::string>> texts;
    std::map<std::size_t, std::pair<double, int64_t>> sums;
    for (const std::string& name : numeric) sums[*table_.find(name)] = {};
    for (const std::string& name : categorical) texts[*table_.find(name)];
    for (const std::string& name : spec_.target)
      if (!is_numeric(name)) texts[*table_.find(name)];
    table_.for_each_cell([&](int64_t row, std::size_t column, std::string_view text) {
      if (!trains[static_cast<std::size_t>(row)] || is_missing(text)) return;
      if (const auto found = texts.find(column); found != texts.end()) {
        found->second.emplace(text);
      } else if (const auto sum = sums.find(column); sum != sums.end()) {
        sum->second.first += cell_number(text).value_or(0);
        ++sum->second.second;
      }
    });
    std::vector<double> means;
    for (const std::string& name : numeric) {
      const auto& [sum, count] = sums.at(*table_.find(name));
      means.push_back(count == 0 ? 0 : sum / static_cast<double>(count));
    }
    for (const auto& [column, words] : texts)
      learned.set(kCategories + table_.columns()[column].name, in_order(words));
    learned.set(kNumeric, std::move(numeric));
    learned.set(kCategorical, std::move(categorical));
    learned.set(kTarget, spec_.target);
    learned.set(kMeans, std::move(means));
  }

  [[nodiscard]] DataLoader open(const StateDict& learned) const override;

 private:
  struct Cell {
    int64_t row;
    const std::string& column;
    std::string_view text;
  };

  [[nodiscard]] Words features() const {
    if (spec_.features) return *spec_.features;
    Words names;
    for (const auto& column : table_.columns())
      if (!is_among(spec_.target, column.name)) names.push_back(column.name);
    return names;
  }

  void check_columns(const std::string& setting, const Words& names) const {
    for (auto name = names.begin(); name != names.end(); ++name) {
      check_column(setting, *name);
      if (std::find(names.begin(), name, *name) != name)
        throw WrongSetting(setting, "'" + *name + "' is named twice");
    }
  }

  /// Another delimiter, which the name of the only column has in it.
  [[nodiscard]] std::optional<std::string> delimiter_meant() const {
    if (table_.columns().size() != 1) return std::nullopt;
    const auto at = table_.columns().front().name.find_first_of(";,\t|");
    if (at == std::string::npos) return std::nullopt;
    const char found = table_.columns().front().name[at];
    return found == '\t' ? std::string("\\t") : std::string(1, found);
  }

  void check_column(const std::string& setting, const std::string& name) const {
    if (table_.find(name)) return;
    Words names;
    for (const auto& column : table_.columns()) names.push_back(column.name);
    if (const auto delimiter = delimiter_meant()) {
      throw WrongSetting(setting, fmt::format("{} has no column '{}'; its only column is '{}' (did you mean "
                                              "delimiter: '{}'?)",
                                              spec_.path, name, shown_cell(names.front()), *delimiter));
    }
    const auto meant = support::did_you_mean(name, names);
    throw WrongSetting(setting,
                       spec_.path + " has no column '" + name + "'" +
                           (meant ? " (did you mean " + *meant + "?)" : "; it has " + support::join(names)));
  }

  /// Whether a column holds numbers. One that holds both is a mistake in the file, unless numbers are few.
  [[nodiscard]] bool is_numeric(const std::string& name) const {
    if (is_among(spec_.categorical, name)) return false;
    const auto& column = table_.columns()[*table_.find(name)];
    if (column.numbers == 0 && column.texts == 0)
      throw RunError(fmt::format(
          "{}: column {} has no value in any row; name the columns to use in `features`", spec_.path, name));
    if (column.texts > 0 && column.numbers >= column.texts) {
      throw RunError(
          fmt::format("{}: row {}, column {}: '{}' is no number, as {} of the column are; mend it, or "
                      "list the column in `categorical`",
                      spec_.path, column.first_text, shown_cell(name), shown_cell(column.example),
                      support::counted(column.numbers, "other", "others")));
    }
    return column.is_numeric();
  }

  [[noreturn]] void refuse(const Cell& cell, const std::string& why) const {
    throw RunError(fmt::format("{}: row {}, column {}: {}", spec_.path, table_.row_number(cell.row),
                               shown_cell(cell.column), why));
  }

  /// Once a column: float32 has all whole numbers up to 2^24 only, so that times and identifiers run
  /// together.
  void warn_of_rounding(const Cell& cell, double number, float value, std::set<std::string>& warned) const {
    if (std::trunc(number) != number || static_cast<double>(value) == number) return;
    if (!warned.insert(cell.column).second) return;
    spdlog::warn(
        "{}: row {}, column {}: {} is {:.0f} in float32, which has no more digits; subtract a "
        "number from the column, or leave it out of `features`",
        spec_.path, table_.row_number(cell.row), shown_cell(cell.column), shown_cell(cell.text), value);
  }

  [[nodiscard]] float number_in(const Cell& cell, std::optional<double> mean,
                                std::set<std::string>& warned) const {
    if (is_missing(cell.text)) {
      if (mean && spec_.missing == config::MissingValue::mean) return static_cast<float>(*mean);
      refuse(cell, mean ? "is empty; `missing: mean` takes the column's mean" : kEmptyTarget);
    }
    const auto number = cell_number(cell.text);
    if (!number)
      refuse(cell,
             fmt::format("'{}' is no number, as those of the training data are", shown_cell(cell.text)));
    const auto value = static_cast<float>(*number);
    if (!std::isfinite(value)) refuse(cell, fmt::format("{} is too large for float32", cell.text));
    warn_of_rounding(cell, *number, value, warned);
    return value;
  }

  config::CsvSource spec_;
  CsvTable table_;
};

/// The numbers of texts, from `first` on.
std::map<std::string, int64_t, std::less<>> numbered(const Words& texts, int64_t first) {
  std::map<std::string, int64_t, std::less<>> numbers;
  for (std::size_t i = 0; i < texts.size(); ++i) numbers.emplace(texts[i], first + static_cast<int64_t>(i));
  return numbers;
}

DataLoader CsvSource::open(const StateDict& learned) const {
  const auto& numeric = learned.get<Words>(kNumeric);
  const auto& categorical = learned.get<Words>(kCategorical);
  const auto& means = learned.get<std::vector<double>>(kMeans);
  Words target = learned.get<Words>(kTarget);
  const auto texts_of = [&](const std::string& name) -> const Words& {
    return learned.get<Words>(kCategories + name);
  };
  const bool has_target = !target.empty() && std::ranges::all_of(target, [&](const std::string& name) {
    return table_.find(name).has_value();
  });
  const bool has_classes = has_target && learned.contains(kCategories + target.front());
  for (const std::string& name : target) {
    if (learned.contains(kCategories + name) != has_classes && has_target)
      throw WrongSetting("target", "some are numbers and some are categories: " + support::join(target));
  }
  if (!has_target) target.clear();

  const int64_t rows = table_.rows();
  const auto columns = [](const Words& names) { return static_cast<int64_t>(names.size()); };
  const auto features = torch::empty({rows, columns(numeric)}, torch::kFloat32);
  const auto categories = torch::empty({rows, columns(categorical)}, torch::kInt64);
  const auto targets = torch::empty({rows, columns(target)}, has_classes ? torch::kInt64 : torch::kFloat32);

  std::set<std::string> warned;  // columns
  using Put = std::function<void(const Cell&)>;
  std::vector<Put> puts(table_.columns().size());
  const auto column_of = [&](const std::string& name) {
    check_column("path", name);
    return *table_.find(name);
  };
  for (std::size_t i = 0; i < numeric.size(); ++i) {
    puts[column_of(numeric[i])] = [this, i, &warned, mean = means[i],
                                   to = features.accessor<float, 2>()](const Cell& cell) mutable {
      to[cell.row][static_cast<int64_t>(i)] = number_in(cell, mean, warned);
    };
  }
  for (std::size_t i = 0; i < categorical.size(); ++i) {
    puts[column_of(categorical[i])] = [this, i, numbers = numbered(texts_of(categorical[i]), 1),
                                       to = categories.accessor<int64_t, 2>()](const Cell& cell) mutable {
      if (is_missing(cell.text) && spec_.missing == config::MissingValue::error)
        refuse(cell, "is empty; `missing: mean` takes it for a category of its own");
      const auto number = numbers.find(cell.text);
      to[cell.row][static_cast<int64_t>(i)] = number == numbers.end() ? 0 : number->second;
    };
  }
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!has_classes) {
      puts[column_of(target[i])] = [this, i, &warned,
                                    to = targets.accessor<float, 2>()](const Cell& cell) mutable {
        to[cell.row][static_cast<int64_t>(i)] = number_in(cell, std::nullopt, warned);
      };
      continue;
    }
    puts[column_of(target[i])] = [this, i, numbers = numbered(texts_of(target[i]), 0),
                                  to = targets.accessor<int64_t, 2>()](const Cell& cell) mutable {
      if (is_missing(cell.text)) refuse(cell, kEmptyTarget);
      const auto number = numbers.find(cell.text);
      if (number == numbers.end())
        throw UnknownClass(fmt::format(
            "{}: row {}, column {}: class '{}' is not among those of the training data", spec_.path,
            table_.row_number(cell.row), shown_cell(cell.column), shown_cell(cell.text)));
      to[cell.row][static_cast<int64_t>(i)] = number->second;
    };
  }
  table_.for_each_cell([&](int64_t row, std::size_t column, std::string_view text) {
    if (puts[column]) puts[column]({row, table_.columns()[column].name, text});
  });

  Batch fields;
  std::vector<FieldInfo> meanings;
  if (!numeric.empty()) {
    fields.set("features", features);
    FieldInfo& meaning = meanings.emplace_back();
    meaning.name = "features";
    meaning.columns = numeric;
  }
  if (!categorical.empty()) {
    fields.set("categories", categories);
    FieldInfo& meaning = meanings.emplace_back();
    meaning.name = "categories";
    meaning.columns = categorical;
    for (const std::string& name : categorical) meaning.column_classes.push_back(columns(texts_of(name)) + 1);
  }
  if (has_target) {
    FieldInfo& meaning = meanings.emplace_back();
    meaning.name = "target";
    meaning.columns = target;
    if (has_classes && target.size() == 1) {
      meaning.labels = texts_of(target.front());
      meaning.classes = columns(meaning.labels);
    }
    fields.set("target", has_classes && target.size() == 1 ? targets.select(1, 0).contiguous() : targets);
  }
  return {std::make_shared<CsvDataset>(std::move(fields), std::move(meanings))};
}

}  // namespace

std::unique_ptr<Source> open_source(const config::CsvSource& spec) {
  check_file("path", spec.path);
  return std::make_unique<CsvSource>(spec);
}

}  // namespace lightrun::sources
