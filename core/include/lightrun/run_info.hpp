#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lightrun {

/// What is settled before the first batch: the resolved numbers of this run.
struct RunInfo {
  std::string run_dir;         ///< this run's folder; empty where the run writes nothing
  std::string checkpoint_dir;  ///< its checkpoints' folder; empty likewise, or without checkpoints
  std::string resumed_from;    ///< the checkpoint that the run goes on from; empty in a new run
  std::string resumed_at;      ///< ... and where it was: " (epoch 3, batch 12, step 120)"; counted from 1
  std::string model_name;
  std::string plugin_path;
  std::vector<std::string> devices;  ///< "cpu", "cuda:0"
  int64_t seed = 0;

  std::optional<int64_t> train_samples;  ///< not known for a stream
  std::optional<int64_t> val_samples;
  std::optional<int64_t> batch_size;  ///< of the training data; a stream has its own

  std::optional<int64_t> train_batches;            ///< an epoch, after limit_train_batches
  std::optional<int64_t> train_batches_available;  ///< ... before it
  std::optional<int64_t> val_batches;  ///< a validation, after limit_val_batches; 0 without validation
  std::optional<int64_t> val_batches_available;
  int64_t sanity_batches = 0;
  std::optional<int64_t> predict_batches;  ///< of `lightrun predict`
  std::optional<int64_t> test_batches;     ///< of `lightrun test`, after limit_test_batches
  std::string limited_by;  ///< the setting that limits batches: "limit_train_batches", "fast_dev_run", ...
  std::optional<int64_t> val_check_batches;  ///< training batches between validations; not known for a stream

  std::vector<std::string> optimizers;  ///< "Adam, lr 0.001"; once they are configured

  std::optional<int64_t> max_epochs;  ///< nothing: no limit
  std::optional<int64_t> max_steps;
  std::optional<int64_t> total_steps;    ///< optimizer steps of the whole run, where the data has a length
  std::optional<int64_t> total_batches;  ///< training batches of the whole run, likewise
  int64_t accumulate_grad_batches = 1;   ///< of the first epoch
};

}  // namespace lightrun
