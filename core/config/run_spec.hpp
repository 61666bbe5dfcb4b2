#pragma once

#include "config/limit.hpp"
#include "config/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What a run is told to do: plain, validated values. config/fields.hpp declares each one's name, range and
/// help; defaults stand here. Nothing after config::resolve() changes them.
namespace lightrun::config {

enum class AccumulationDivisor { window, fixed };
enum class ClipAlgorithm { norm, value };
enum class Mode { min, max };
enum class Interval { epoch, step };

/// Epoch -> factor from that epoch on; 1 before the first entry. `accumulate_grad_batches: 4` is {0: 4}.
using AccumulationSchedule = std::map<int64_t, int64_t>;

struct RunSection {
  std::string dir = "runs";
  std::string name;  ///< default: the first config file's name without its extension
};

struct TrainerSpec {
  int64_t max_epochs = 1000;
  std::optional<int64_t> max_steps;
  AccumulationSchedule accumulate_grad_batches = {{0, 1}};
  AccumulationDivisor accumulation_divisor = AccumulationDivisor::window;
  double gradient_clip_val = 0;  ///< 0: off
  ClipAlgorithm gradient_clip_algorithm = ClipAlgorithm::norm;
  std::optional<int64_t> truncated_bptt_steps;
  bool terminate_on_nan = false;
  Limit limit_train_batches = Limit::all();
  Limit limit_val_batches = Limit::all();
  int64_t num_sanity_val_steps = 2;  ///< -1: all
  int64_t fast_dev_run = 0;          ///< batches; 0: off
  int64_t log_every_n_steps = 50;
  std::vector<std::string> devices = {"cpu"};
};

struct ModelSpec {
  std::string plugin;  ///< a registered model's name, or a path to a shared library
  std::string name;    ///< which model of the library, where `plugin` is a path to one with several
  Value params;        ///< a map, checked against the model's declarations once the plugin is open
};

struct DataSpec {
  int64_t batch_size = 32;
  bool shuffle = true;
  bool drop_last = false;
};

struct SgdSpec {
  double lr = 0.01;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
};
struct AdamSpec {
  double lr = 1e-3;
  std::vector<double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
  bool amsgrad = false;
};
struct AdamWSpec {
  double lr = 1e-3;
  std::vector<double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 1e-2;
  bool amsgrad = false;
};
struct RmspropSpec {
  double lr = 0.01;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;
};
struct AdagradSpec {
  double lr = 0.01;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
};
/// `optimizer: {type: adam, lr: 1e-3}`; types sgd, adam, adamw, rmsprop, adagrad; PyTorch's names and
/// defaults.
using OptimizerSpec = std::variant<SgdSpec, AdamSpec, AdamWSpec, RmspropSpec, AdagradSpec>;

struct StepDecaySpec {
  int64_t step_size = 1;
  double gamma = 0.1;
};
struct MultiStepSpec {
  std::vector<int64_t> milestones;
  double gamma = 0.1;
};
struct ExponentialSpec {
  double gamma = 0.9;
};
struct CosineSpec {
  int64_t t_max = 10;
  double eta_min = 0;
};
/// `scheduler: {type: cosine, t_max: 20, interval: epoch}`; types step, multi_step, exponential, cosine.
struct SchedulerSpec {
  std::variant<StepDecaySpec, MultiStepSpec, ExponentialSpec, CosineSpec> shape;
  Interval interval = Interval::epoch;
  int64_t frequency = 1;
};

/// `type: model_checkpoint`. Writes checkpoints/last.ckpt at every epoch's end and checkpoints/best.ckpt
/// whenever `monitor` is better than ever before.
struct ModelCheckpointSpec {
  std::string monitor = "val_loss";
  Mode mode = Mode::min;
};
/// One entry of `callbacks`. A model_checkpoint with its defaults is there without being asked for.
using CallbackSpec = std::variant<ModelCheckpointSpec>;

/// `type: csv`. Writes metrics.csv.
struct CsvLoggerSpec {};
using LoggerSpec = std::variant<CsvLoggerSpec>;

struct RunSpec {
  int64_t seed = 0;
  RunSection run;
  TrainerSpec trainer;
  ModelSpec model;
  DataSpec data;
  std::optional<OptimizerSpec> optimizer;
  std::optional<SchedulerSpec> scheduler;
  std::vector<CallbackSpec> callbacks = {};
  std::vector<LoggerSpec> loggers = {CsvLoggerSpec{}};

  /// Where each setting that was given comes from, by its dotted path ("trainer.max_epochs"): for messages
  /// only.
  Origins origins;
};

}  // namespace lightrun::config
