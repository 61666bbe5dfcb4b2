#include "sources/normalize.hpp"

#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

namespace lightrun::sources {
namespace {

constexpr std::string_view kShift = "normalize.shift.";
constexpr std::string_view kScale = "normalize.scale.";
constexpr int64_t kRowsAtOnce = 1024;

/// The dimension whose entries are normalized each for itself; none of plain numbers [N].
std::optional<int64_t> feature_dimension(const torch::Tensor& field) {
  if (field.dim() < 2) return std::nullopt;
  return field.dim() >= 4 ? 1 : field.dim() - 1;
}

/// A row for each feature, [F, everything else].
torch::Tensor by_feature(const torch::Tensor& field) {
  const auto dimension = feature_dimension(field);
  if (!dimension) return field.reshape({1, -1});
  return field.movedim(*dimension, 0).reshape({field.size(*dimension), -1});
}

/// Running statistics of one field; combining parts as in Chan, Golub and LeVeque (1979).
struct Statistics {
  int64_t count = 0;
  torch::Tensor mean, squares, lowest, highest;  ///< [F], of 64 bits

  void add(const torch::Tensor& field) {
    const auto values = by_feature(field).to(torch::kFloat64);
    const auto part_mean = values.mean(1);
    const auto part_squares = (values - part_mean.unsqueeze(1)).square().sum(1);
    const auto part_count = values.size(1);
    const auto part_lowest = values.amin(1);
    const auto part_highest = values.amax(1);
    if (count == 0) {
      mean = part_mean;
      squares = part_squares;
      lowest = part_lowest;
      highest = part_highest;
    } else {
      const auto difference = part_mean - mean;
      const auto whole = static_cast<double>(count + part_count);
      mean = mean + difference * (static_cast<double>(part_count) / whole);
      squares = squares + part_squares +
                difference.square() * (static_cast<double>(count) * static_cast<double>(part_count) / whole);
      lowest = torch::minimum(lowest, part_lowest);
      highest = torch::maximum(highest, part_highest);
    }
    count += part_count;
  }
};

void check_finite(const std::string& name, const FieldInfo* info, const torch::Tensor& mean) {
  const auto bad = mean.isfinite().logical_not().nonzero();
  if (bad.numel() == 0) return;
  const auto feature = static_cast<std::size_t>(bad[0].item<int64_t>());
  const std::string column =
      info && feature < info->columns.size() ? " (" + info->columns[feature] + ")" : "";
  throw RunError("the training data cannot be normalized: field '" + name +
                 "' has a value that is not finite in feature " + std::to_string(feature) + column);
}

std::vector<std::string> fields_to_normalize(const std::optional<std::vector<std::string>>& asked,
                                             const Batch& sample) {
  const auto is_number = [&](const Batch::Field& field) {
    const auto* tensor = std::get_if<torch::Tensor>(&field);
    return tensor && tensor->is_floating_point();
  };
  std::vector<std::string> names;
  for (const auto& [name, field] : sample.fields()) {
    const bool is_asked = asked ? std::ranges::find(*asked, name) != asked->end() : name != "target";
    if (is_asked && is_number(field)) names.push_back(name);
  }
  for (const std::string& name : asked.value_or(std::vector<std::string>())) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw WrongSetting("fields", sample.contains(name) ? "field '" + name + "' has no floating-point numbers"
                                                       : "the training data has no field '" + name + "'");
  }
  if (names.empty()) throw WrongSetting("", "the training data has no field to normalize");
  return names;
}

class Normalized : public Dataset {
 public:
  struct Change {
    torch::Tensor shift, scale;
  };
  Normalized(std::shared_ptr<Dataset> data, std::map<std::string, Change> changes)
      : data_(std::move(data)), changes_(std::move(changes)) {}
  [[nodiscard]] int64_t size() const override { return data_->size(); }
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override {
    Batch batch = data_->get(indices);
    for (const auto& [name, change] : changes_) {
      if (batch.contains(name)) batch.set(name, normalized(batch[name], change));
    }
    return batch;
  }
  [[nodiscard]] bool is_concurrent() const override { return data_->is_concurrent(); }
  [[nodiscard]] DataInfo describe() override { return data_->describe(); }

 private:
  static torch::Tensor normalized(const torch::Tensor& field, const Change& change) {
    std::vector<int64_t> shape(static_cast<std::size_t>(field.dim()), 1);
    if (const auto dimension = feature_dimension(field))
      shape[static_cast<std::size_t>(*dimension)] = change.shift.numel();
    return (field - change.shift.view(shape).to(field.dtype())) / change.scale.view(shape).to(field.dtype());
  }

  std::shared_ptr<Dataset> data_;
  std::map<std::string, Change> changes_;
};

void keep(const std::string& name, const torch::Tensor& shift, const torch::Tensor& scale,
          StateDict& learned) {
  learned.set(std::string(kShift) + name, shift);
  learned.set(std::string(kScale) + name, torch::where(scale > 0, scale, torch::ones_like(scale)));
}

}  // namespace

void learn_normalization(const config::NormalizeSpec& spec, Dataset& training, StateDict& learned) {
  const auto& asked = std::visit(
      [](const auto& method) -> const auto& { return method.fields; }, spec);
  const int64_t size = training.size();
  std::map<std::string, Statistics> statistics;
  std::vector<std::string> names;
  std::vector<int64_t> rows;
  for (int64_t begin = 0; begin < size; begin += kRowsAtOnce) {
    rows.resize(static_cast<std::size_t>(std::min(kRowsAtOnce, size - begin)));
    std::iota(rows.begin(), rows.end(), begin);
    const Batch batch = training.get(rows);
    if (begin == 0) names = fields_to_normalize(asked, batch);
    for (const std::string& name : names) statistics[name].add(batch[name]);
  }
  const DataInfo info = training.describe();
  for (const auto& [name, of_field] : statistics) {
    check_finite(name, info.find(name), of_field.mean);
    if (std::holds_alternative<config::MinMaxNormalizeSpec>(spec)) {
      keep(name, of_field.lowest, of_field.highest - of_field.lowest, learned);
    } else {
      keep(name, of_field.mean, (of_field.squares / static_cast<double>(of_field.count)).sqrt(), learned);
    }
  }
}

std::shared_ptr<Dataset> normalized(std::shared_ptr<Dataset> data, const StateDict& learned) {
  std::map<std::string, Normalized::Change> changes;
  for (const auto& [key, value] : learned.values()) {
    if (!key.starts_with(kShift)) continue;
    const std::string name = key.substr(kShift.size());
    changes[name] = {std::get<torch::Tensor>(value), learned.get<torch::Tensor>(std::string(kScale) + name)};
  }
  if (changes.empty()) return data;
  return std::make_shared<Normalized>(std::move(data), std::move(changes));
}

}  // namespace lightrun::sources
