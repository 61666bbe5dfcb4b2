#include "sources/views.hpp"

#include "sources/source.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lightrun::sources {
namespace {

class Subset : public Dataset {
 public:
  Subset(std::shared_ptr<Dataset> whole, std::vector<int64_t> rows)
      : whole_(std::move(whole)), rows_(std::move(rows)) {}
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override {
    std::vector<int64_t> of_whole;
    of_whole.reserve(indices.size());
    for (const int64_t index : indices) of_whole.push_back(rows_[static_cast<std::size_t>(index)]);
    return whole_->get(of_whole);
  }
  [[nodiscard]] bool is_concurrent() const override { return whole_->is_concurrent(); }
  [[nodiscard]] DataInfo describe() override { return whole_->describe(); }

 private:
  std::shared_ptr<Dataset> whole_;
  std::vector<int64_t> rows_;
};

const std::string& new_name(const std::string& name, const config::Names& names) {
  const auto at = names.find(name);
  return at == names.end() ? name : at->second;
}

Batch with_new_names(const Batch& batch, const config::Names& names) {
  Batch renamed;
  for (const auto& [name, field] : batch.fields()) renamed.set(new_name(name, names), field);
  return renamed;
}

class Renamed : public Dataset {
 public:
  Renamed(std::shared_ptr<Dataset> data, config::Names names)
      : data_(std::move(data)), names_(std::move(names)) {}
  [[nodiscard]] int64_t size() const override { return data_->size(); }
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override {
    return with_new_names(data_->get(indices), names_);
  }
  [[nodiscard]] bool is_concurrent() const override { return data_->is_concurrent(); }
  [[nodiscard]] DataInfo describe() override {
    DataInfo info = data_->describe();
    for (FieldInfo& field : info.fields) field.name = new_name(field.name, names_);
    return info;
  }

 private:
  std::shared_ptr<Dataset> data_;
  config::Names names_;
};

class RenamedStream : public IterableDataset {
 public:
  RenamedStream(std::shared_ptr<IterableDataset> data, config::Names names)
      : data_(std::move(data)), names_(std::move(names)) {}
  void reset(int64_t epoch) override { data_->reset(epoch); }
  [[nodiscard]] std::optional<Batch> next() override {
    const auto batch = data_->next();
    return batch ? std::optional(with_new_names(*batch, names_)) : std::nullopt;
  }
  [[nodiscard]] bool skip(int64_t batches) override { return data_->skip(batches); }

 private:
  std::shared_ptr<IterableDataset> data_;
  config::Names names_;
};

void check_names(const DataInfo& info, const config::Names& names) {
  std::string there;
  for (const FieldInfo& field : info.fields) there += (there.empty() ? "" : ", ") + field.name;
  for (const auto& [name, meaning] : names) {
    if (!info.find(name)) throw WrongSetting("rename." + name, "there is no such field; there are " + there);
  }
  std::set<std::string> taken;
  for (const FieldInfo& field : info.fields) {
    const std::string& name = new_name(field.name, names);
    if (!taken.insert(name).second) throw WrongSetting("rename", "two fields would be called '" + name + "'");
  }
}

}  // namespace

std::shared_ptr<Dataset> subset(std::shared_ptr<Dataset> whole, std::vector<int64_t> rows) {
  return std::make_shared<Subset>(std::move(whole), std::move(rows));
}

DataLoader renamed(DataLoader data, const config::Names& names) {
  if (names.empty()) return data;
  if (data.dataset) {
    check_names(data.dataset->describe(), names);
    data.dataset = std::make_shared<Renamed>(data.dataset, names);
  } else if (data.stream) {
    data.stream = std::make_shared<RenamedStream>(data.stream, names);
  }
  return data;
}

}  // namespace lightrun::sources
