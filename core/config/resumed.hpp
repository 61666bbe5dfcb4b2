#pragma once

#include "config/run_spec.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Which settings a resumed run has from its checkpoint, and which from the config of now.
///
/// What makes the training what it is comes from the checkpoint: the seed, the data, the optimizer and the
/// scheduler (also where one of the two configs has none), and of the trainer how batches become steps, when
/// is validated, and precision. Limits (max_*, min_*, limit_*), the model, the callbacks, and all that is
/// about the machine (the data's workers, too), the output or what to do in an emergency come from now.
/// resumed_from() knows each one.
namespace lightrun::config {

enum class From {
  checkpoint,
  now,
  now_unlisted,  ///< the same; where it differs nobody needs to be told
};

/// Where a resumed run has a setting from: of "optimizer.lr", or of a section such as "data". Nothing of a
/// path that is no setting, nor of sections that have both ("trainer").
[[nodiscard]] std::optional<From> resumed_from(std::string_view path);

/// The settings and sections that come from the checkpoint: "seed", "data", "trainer.precision".
[[nodiscard]] std::vector<std::string> settings_from_checkpoint();

struct ResumedSpec {
  RunSpec spec;  ///< with the origins of `now`, but of no setting that the checkpoint has replaced

  /// A line for each setting that differs, in the order of the dump:
  ///   "optimizer.lr: 0.1 as in the checkpoint (the config says 0.5)"
  ///   "trainer.max_epochs: 4 (the checkpoint's run had 2)"
  /// A block of another type is one line: "optimizer: sgd as in the checkpoint (the config says adam)"; an
  /// entry or a parameter that only one has is "none" in the other. Last come the settings of now whose value
  /// in the checkpoint cannot be read.
  std::vector<std::string> differences;
};

/// The spec of a run that goes on from a checkpoint. `saved_yaml` is the config in it, as config::dump() of
/// this version, or of another one, wrote it: keys that are unknown here are passed over, and what is missing
/// has its default. `saved_name` names the checkpoint in messages. Throws RunError if `saved_yaml` is no
/// config, or has a value that the run needs and that is wrong here.
[[nodiscard]] ResumedSpec resumed(const RunSpec& now, const std::string& saved_yaml,
                                  const std::string& saved_name);

}  // namespace lightrun::config
