#include "sources/source.hpp"

#include <ATen/CPUGeneratorImpl.h>

namespace lightrun::sources {
namespace {

using Generator = torch::Generator;

/// Class c's points lie around a centre of its own, of a standard normal distribution.
Batch classification(const config::SyntheticSource& spec, Generator& generator) {
  const auto centres = torch::randn({spec.classes, spec.features}, generator);
  const auto target = torch::randint(0, spec.classes, {spec.samples}, generator, torch::kInt64);
  const auto noise = torch::randn({spec.samples, spec.features}, generator) * spec.noise;
  return {{"features", centres.index_select(0, target) + noise}, {"target", target}};
}

/// target = features * weights + noise.
Batch regression(const config::SyntheticSource& spec, Generator& generator) {
  const auto weights = torch::randn({spec.features, 1}, generator);
  const auto features = torch::randn({spec.samples, spec.features}, generator);
  const auto noise = torch::randn({spec.samples, 1}, generator) * spec.noise;
  return {{"features", features}, {"target", features.mm(weights) + noise}};
}

class Synthetic : public TensorDataset {
 public:
  Synthetic(Batch fields, int64_t classes) : TensorDataset(std::move(fields)), classes_(classes) {}
  [[nodiscard]] DataInfo describe() override {
    DataInfo info = TensorDataset::describe();
    for (FieldInfo& field : info.fields)
      if (field.name == "target") field.classes = classes_;
    return info;
  }

 private:
  int64_t classes_;
};

}  // namespace

std::unique_ptr<Source> open_source(const config::SyntheticSource& spec) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(spec.seed));
  const bool has_classes = spec.task == config::SyntheticTask::classification;
  Batch fields = has_classes ? classification(spec, generator) : regression(spec, generator);
  return std::make_unique<PlainSource>(
      std::make_shared<Synthetic>(std::move(fields), has_classes ? spec.classes : 0));
}

}  // namespace lightrun::sources
