#pragma once

#include "config/run_spec.hpp"

#include <lightrun/export.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lightrun::engine {

/// What `lightrun train`, `test` and `predict` ask of the engine's library.
struct RunRequest {
  config::RunSpec spec;
  std::string resolved_config;  ///< config::dump(spec)
  std::vector<std::string> plugin_dirs;
  std::vector<std::string> command = {};         ///< the words after `lightrun`, for the run's record
  std::optional<std::string> trace;              ///< file for the hook trace
  std::optional<std::string> checkpoint = {};    ///< of `test` and `predict`: the file that holds the weights
  std::string out = {};                          ///< of `predict`: what to write
  std::string field = {};                        ///< of `predict`: the only field to write; "": see Output
  std::optional<std::string> resume = {};        ///< of `train`: last, best, auto or a file
  std::optional<std::string> weights_only = {};  ///< of `train`: the file to start with the weights of
  std::string strip_prefix = {};                 ///< of names in these two files
  bool new_run = false;                          ///< a resumed run goes on in a folder of its own
  bool overwrite = false;                        ///< run.folder may hold a run, `out` a file, which goes
  bool quiet = false;                            ///< warnings and errors only (and what a test measures)
  bool dry = false;                              ///< no folder and no file is made
  bool verbose = false;                          ///< the log's details on stderr too
};

/// The executable opens the library only for commands that need LibTorch, and finds these by name.
inline constexpr const char* kTrainSymbol = "lightrun_train";
inline constexpr const char* kTestSymbol = "lightrun_test";
inline constexpr const char* kPredictSymbol = "lightrun_predict";
using RunFunction = int(const RunRequest&);

}  // namespace lightrun::engine

/// Trains. The answer is the exit code: 0, or 128 + n after signal n. Everything else is thrown as a
/// lightrun::Error.
extern "C" LIGHTRUN_API int lightrun_train(const lightrun::engine::RunRequest& request);

/// Tests the weights of a checkpoint and prints what was measured. The answer is as above.
extern "C" LIGHTRUN_API int lightrun_test(const lightrun::engine::RunRequest& request);

/// Writes what a checkpoint's model predicts to a file. The answer is as above; after a signal nothing is
/// written.
extern "C" LIGHTRUN_API int lightrun_predict(const lightrun::engine::RunRequest& request);
