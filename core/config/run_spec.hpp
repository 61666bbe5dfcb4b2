#pragma once

#include "config/data_spec.hpp"
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
enum class OnNonfinite { stop, skip };
enum class OnSaveError { stop, retry };
enum class Precision { float32, float64, float16, bfloat16 };
enum class Accelerator { any, cpu, cuda };
enum class Profiler { none, simple, chrome };
enum class FlatParameters { automatic, always, never };
enum class Mode { min, max };
enum class ThresholdMode { rel, abs };
enum class Anneal { cos, linear };
enum class LineSearch { none, strong_wolfe };
enum class Interval { epoch, step };

/// Epoch -> factor from that epoch on; 1 before the first entry. `accumulate_grad_batches: 4` is {0: 4}.
using AccumulationSchedule = std::map<int64_t, int64_t>;

struct RunSection {
  std::string dir = "runs";
  std::string name;            ///< default: the first config file's name without its extension
  std::string folder;          ///< "": `<dir>/<name>/<n>`; else exactly this folder
  std::string checkpoint_dir;  ///< "": `checkpoints` in the run's folder; else `<checkpoint_dir>/<name>/<n>`
};

struct TrainerSpec {
  int64_t max_epochs = 1000;  ///< -1: without end
  std::optional<int64_t> min_epochs;
  std::optional<int64_t> max_steps;
  std::optional<int64_t> min_steps;
  std::optional<double> max_time;  ///< seconds
  AccumulationSchedule accumulate_grad_batches = {{0, 1}};
  AccumulationDivisor accumulation_divisor = AccumulationDivisor::window;
  double gradient_clip_val = 0;  ///< 0: off
  ClipAlgorithm gradient_clip_algorithm = ClipAlgorithm::norm;
  std::optional<double> track_grad_norm;  ///< the p of the norm; infinity: the largest entry
  std::optional<int64_t> truncated_bptt_steps;
  bool terminate_on_nan = false;
  std::optional<OnNonfinite> on_nonfinite;  ///< nothing: as terminate_on_nan says
  bool print_nan_grads = false;
  Limit limit_train_batches = Limit::all();
  Limit limit_val_batches = Limit::all();
  Limit limit_test_batches = Limit::all();
  Limit limit_predict_batches = Limit::all();
  Limit overfit_batches = Limit::of_count(0);  ///< 0: off
  Limit val_check_interval = Limit::all();     ///< never 0
  std::optional<int64_t> check_val_every_n_epoch = 1;
  int64_t num_sanity_val_steps = 2;               ///< -1: all
  int64_t fast_dev_run = 0;                       ///< batches; 0: off
  int64_t reload_dataloaders_every_n_epochs = 0;  ///< 0: never
  int64_t log_every_n_steps = 50;
  int64_t log_save_interval = 100;
  int64_t progress_bar_refresh_rate = 1;  ///< batches; 0: no bar
  bool enable_progress_bar = true;
  bool enable_model_summary = true;
  bool enable_checkpointing = true;
  OnSaveError on_save_error = OnSaveError::stop;
  Profiler profiler = Profiler::none;
  Precision precision = Precision::float32;
  bool deterministic = false;
  FlatParameters flat_parameters = FlatParameters::automatic;
  Accelerator accelerator = Accelerator::any;
  std::vector<std::string> devices = {"cpu"};
};

struct ModelSpec {
  std::string plugin;  ///< a registered model's name, or a path to a shared library
  std::string name;    ///< which model of the library, where `plugin` is a path to one with several
  Value params;        ///< a map, checked against the model's declarations once the plugin is open
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
struct LbfgsSpec {
  double lr = 1;
  int64_t max_iter = 20;
  std::optional<int64_t> max_eval;  ///< nothing: max_iter * 5 / 4
  double tolerance_grad = 1e-7;
  double tolerance_change = 1e-9;
  int64_t history_size = 100;
  LineSearch line_search_fn = LineSearch::none;
};
using OptimizerKind = std::variant<SgdSpec, AdamSpec, AdamWSpec, RmspropSpec, AdagradSpec, LbfgsSpec>;

/// Parameters with options of their own.
struct ParamGroupSpec {
  std::string params;  ///< a regular expression, found in a parameter's name
  Value options;       ///< a map of those that differ from the optimizer's; checked already
};
/// `optimizer: {type: adam, lr: 1e-3, groups: [{params: bias, weight_decay: 0}]}`; types sgd, adam, adamw,
/// rmsprop, adagrad, lbfgs; PyTorch's names and defaults.
struct OptimizerSpec {
  OptimizerKind kind;
  /// A parameter is in the first that its name fits, or else in a last one with the optimizer's own options.
  std::vector<ParamGroupSpec> groups = {};
};

/// The options of a group: the optimizer's, but for those that it gives itself.
[[nodiscard]] OptimizerKind options_of(const OptimizerSpec& optimizer, const ParamGroupSpec& group);

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
  std::optional<int64_t> t_max;  ///< nothing: the whole run
  double eta_min = 0;
};
struct CosineRestartsSpec {
  int64_t t_0 = 10;
  int64_t t_mult = 1;
  double eta_min = 0;
};
struct LinearSpec {
  double start_factor = 1.0 / 3;
  double end_factor = 1;
  int64_t total_iters = 5;
};
struct PolynomialSpec {
  std::optional<int64_t> total_iters;  ///< nothing: the whole run
  double power = 1;
};
struct OneCycleSpec {
  std::optional<double> max_lr;        ///< nothing: the optimizer's own rate
  std::optional<int64_t> total_steps;  ///< nothing: the whole run
  double pct_start = 0.3;
  Anneal anneal_strategy = Anneal::cos;
  double div_factor = 25;
  double final_div_factor = 1e4;
  bool three_phase = false;
};
struct ConstantSpec {
  double factor = 1;
  int64_t total_iters = 5;
};
struct ReduceOnPlateauSpec {
  std::string monitor = "val_loss";
  Mode mode = Mode::min;
  double factor = 0.1;
  int64_t patience = 10;
  double threshold = 1e-4;
  ThresholdMode threshold_mode = ThresholdMode::rel;
  int64_t cooldown = 0;
  double min_lr = 0;
  double eps = 1e-8;
};
/// `scheduler: {type: cosine, t_max: 20, interval: epoch}`. The rate first rises to the optimizer's own over
/// `warmup` counts, then the shape begins at its 0.
struct SchedulerSpec {
  std::variant<StepDecaySpec, MultiStepSpec, ExponentialSpec, CosineSpec, CosineRestartsSpec, LinearSpec,
               PolynomialSpec, OneCycleSpec, ConstantSpec, ReduceOnPlateauSpec>
      shape;
  int64_t warmup = 0;
  double warmup_start_factor = 0.01;
  Interval interval = Interval::epoch;
  int64_t frequency = 1;
};

/// `type: model_checkpoint`. Keeps the `save_top_k` best checkpoints under names made from `filename`, and
/// last.ckpt, from which the run can go on.
struct ModelCheckpointSpec {
  std::optional<std::string> monitor = "val_loss";  ///< nothing: no metric, the newest are the best
  Mode mode = Mode::min;
  int64_t save_top_k = 1;  ///< 0: none; -1: all
  bool save_last = true;
  int64_t every_n_epochs = 1;  ///< ends of epochs at which last.ckpt is written and metrics count; 0: at none
  std::optional<int64_t> every_n_train_steps;
  std::optional<double> every_n_minutes;
  bool save_on_signal = true;
  bool save_on_exception = true;
  std::optional<std::string> filename;  ///< a pattern; nothing: see effective_filename()
};
/// `type: early_stopping`. Ends the run when `monitor` has not become better for `patience` validations.
struct EarlyStoppingSpec {
  std::string monitor = "val_loss";
  Mode mode = Mode::min;
  int64_t patience = 3;
  double min_delta = 0;
  bool strict = true;  ///< an error where no metric of that name is there
  bool check_finite = false;
  std::optional<double> stopping_threshold;
  std::optional<double> divergence_threshold;
};
/// `type: lr_monitor`. Logs the rates of all parameter groups.
struct LrMonitorSpec {
  Interval logging_interval = Interval::step;
};
/// `type: gradient_accumulation_scheduler`: trainer.accumulate_grad_batches, said in Lightning's other way.
struct AccumulationSchedulerSpec {
  AccumulationSchedule scheduling = {{0, 1}};
};
/// `type: timer`. Ends the run after `duration` seconds of training, all its processes together.
struct TimerSpec {
  double duration = 0;  ///< seconds; must be given
  Interval interval = Interval::step;
};
/// `type: freeze`. Parameters that are not trained, for a while or for good.
struct FreezeSpec {
  std::string params;                  ///< a regular expression, found in a parameter's name
  std::optional<int64_t> until_epoch;  ///< the first in which they are trained; nothing: none is
};
/// `type: ema`. An exponential moving average of the weights, used in validations.
struct EmaSpec {
  double decay = 0.999;
  int64_t every_n_steps = 1;
  int64_t start_step = 0;      ///< the average begins as the weights after so many optimizer steps
  bool save_averaged = false;  ///< write averaged.safetensors at the run's end
};
/// `type: swa`. The mean of the weights after each of the last epochs.
struct SwaSpec {
  Limit swa_epoch_start = {.digits = 8, .scale = 1};  ///< an epoch (from 0), or a share of max_epochs
  double swa_lrs = 0;                                 ///< of all parameter groups; must be given
  int64_t annealing_epochs = 10;
  Anneal annealing_strategy = Anneal::cos;
};
/// `type: plugin`: one that a plugin library registers.
struct PluginCallbackSpec {
  std::string name;
  Value params;  ///< a map, checked against the callback's declarations
};
/// One entry of `callbacks`. Unless trainer.enable_checkpointing is false, a model_checkpoint with its
/// defaults is there without being asked for.
using CallbackSpec =
    std::variant<ModelCheckpointSpec, EarlyStoppingSpec, LrMonitorSpec, AccumulationSchedulerSpec, TimerSpec,
                 FreezeSpec, EmaSpec, SwaSpec, PluginCallbackSpec>;

/// What ema (with save_averaged) and swa write into the run's folder.
inline constexpr const char* kAveragedFile = "averaged.safetensors";

/// `type: csv`. Paths of loggers are relative to the run's folder, and stay in it.
struct CsvLoggerSpec {
  std::string file = "metrics.csv";
};
/// `type: jsonl`.
struct JsonlLoggerSpec {
  std::string file = "metrics.jsonl";
};
/// `type: tensorboard`.
struct TensorboardLoggerSpec {
  std::string log_dir = "tensorboard";
  std::optional<int64_t> gradient_histograms;  ///< every so many optimizer steps; nothing: none
};
using LoggerSpec = std::variant<CsvLoggerSpec, JsonlLoggerSpec, TensorboardLoggerSpec>;

/// The file or folder in the run's folder that it writes.
[[nodiscard]] std::string output_path(const LoggerSpec& logger);

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
