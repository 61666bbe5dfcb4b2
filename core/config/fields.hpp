#pragma once

#include "config/field.hpp"
#include "config/run_spec.hpp"

#include <string>
#include <vector>

/// Every setting there is, declared once: its name, member, type, range and help. Reading, the dump, flags,
/// suggestions and help texts all follow from these functions.
namespace lightrun::config {

[[nodiscard]] Block describe(RunSpec& spec);

[[nodiscard]] Block describe(RunSection& run);
[[nodiscard]] Block describe(TrainerSpec& trainer);
[[nodiscard]] Block describe(ModelSpec& model);
[[nodiscard]] Block describe(DataSpec& data);

[[nodiscard]] Block describe(CsvSource& csv);
[[nodiscard]] Block describe(NpySource& npy);
[[nodiscard]] Block describe(IdxSource& idx);
[[nodiscard]] Block describe(CifarSource& cifar);
[[nodiscard]] Block describe(ImageFolderSource& folder);
[[nodiscard]] Block describe(TextSource& text_source);
[[nodiscard]] Block describe(SafetensorsSource& safetensors);
[[nodiscard]] Block describe(SyntheticSource& synthetic);
[[nodiscard]] Block describe(PluginSource& plugin);
[[nodiscard]] Block describe(SourceSpec& spec);
[[nodiscard]] std::vector<SourceSpec> one_of_each(const SourceSpec* which);
[[nodiscard]] Block describe(SplitSpec& split);
[[nodiscard]] Block describe(HeldOutSpec& spec);
[[nodiscard]] std::vector<HeldOutSpec> one_of_each(const HeldOutSpec* which);
[[nodiscard]] Block describe(StandardNormalizeSpec& standard);
[[nodiscard]] Block describe(MinMaxNormalizeSpec& min_max);

[[nodiscard]] Block describe(SgdSpec& sgd);
[[nodiscard]] Block describe(AdamSpec& adam);
[[nodiscard]] Block describe(AdamWSpec& adamw);
[[nodiscard]] Block describe(RmspropSpec& rmsprop);
[[nodiscard]] Block describe(AdagradSpec& adagrad);

[[nodiscard]] Block describe(LbfgsSpec& lbfgs);
[[nodiscard]] Block describe(OptimizerSpec& optimizer);
[[nodiscard]] std::vector<OptimizerSpec> one_of_each(const OptimizerSpec* which);

[[nodiscard]] Block describe(StepDecaySpec& step);
[[nodiscard]] Block describe(MultiStepSpec& multi_step);
[[nodiscard]] Block describe(ExponentialSpec& exponential);
[[nodiscard]] Block describe(CosineSpec& cosine);
[[nodiscard]] Block describe(CosineRestartsSpec& cosine);
[[nodiscard]] Block describe(LinearSpec& linear);
[[nodiscard]] Block describe(PolynomialSpec& polynomial);
[[nodiscard]] Block describe(OneCycleSpec& one_cycle);
[[nodiscard]] Block describe(ConstantSpec& constant);
[[nodiscard]] Block describe(ReduceOnPlateauSpec& plateau);
[[nodiscard]] Block describe(SchedulerSpec& scheduler);
/// One scheduler of each shape (block.hpp asks).
[[nodiscard]] std::vector<SchedulerSpec> one_of_each(const SchedulerSpec* which);

[[nodiscard]] Block describe(ModelCheckpointSpec& model_checkpoint);
[[nodiscard]] Block describe(EarlyStoppingSpec& early_stopping);
[[nodiscard]] Block describe(LrMonitorSpec& lr_monitor);
[[nodiscard]] Block describe(AccumulationSchedulerSpec& scheduler);
[[nodiscard]] Block describe(TimerSpec& timer);
[[nodiscard]] Block describe(FreezeSpec& freeze);
[[nodiscard]] Block describe(EmaSpec& ema);
[[nodiscard]] Block describe(SwaSpec& swa);
[[nodiscard]] Block describe(PluginCallbackSpec& plugin);
[[nodiscard]] Block describe(CsvLoggerSpec& csv);
[[nodiscard]] Block describe(JsonlLoggerSpec& jsonl);
[[nodiscard]] Block describe(TensorboardLoggerSpec& tensorboard);

/// A setting as help, a reference or a schema shows it.
struct FieldInfo {
  std::string path;   ///< "trainer.max_epochs", "optimizer.lr", "callbacks.N.monitor"
  std::string block;  ///< the type of block that has it: "adam"; "" outside of blocks
  Field::Kind kind = Field::Kind::leaf;
  std::string type;           ///< in words: "a whole number"
  std::string default_value;  ///< as YAML: "1000", "null", "[cpu]"; "" if it must be given
  std::string range;          ///< ">= 0", or ""
  std::string help;

  /// "trainer" of "trainer.max_epochs", "" of "seed".
  [[nodiscard]] std::string parent() const;
  /// "max_epochs".
  [[nodiscard]] std::string name() const;
};

/// All settings, in the order of the dump; a setting that several types of a block have, once for each.
[[nodiscard]] std::vector<FieldInfo> all_fields();

}  // namespace lightrun::config
