#pragma once

#include "e2e/lightrun_process.hpp"

namespace lightrun::tests {

inline const std::string kPlugins = LIGHTRUN_BUILD_DIR "/tests/plugins/e2e";

/// A run of the faulty model with these `model.params`, logging every step.
inline Outcome train_faulty(const TemporaryFolder& folder, const std::string& params,
                            const std::vector<std::string>& flags = {}) {
  write_file(folder / "run.yaml",
             "model: {plugin: faulty, params: " + params +
                 "}\ntrainer: {max_epochs: 4, log_every_n_steps: 1}\noptimizer: {type: sgd, lr: 1}\n");
  std::vector<std::string> arguments = {"train", "run.yaml", "--plugin-dir", kPlugins};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return run_lightrun(folder, arguments);
}

}  // namespace lightrun::tests
