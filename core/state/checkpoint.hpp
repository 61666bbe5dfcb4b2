#pragma once

#include "optim/optimizer_state.hpp"
#include "state/run_state.hpp"

#include <lightrun/state_dict.hpp>

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lightrun::state {

using NamedTensors = optim::NamedTensors;
using Texts = std::map<std::string, std::string>;

/// One instant of a run, between two batches or two epochs: what changes beside its tensors.
struct Instant {
  RunState run = {};
  std::vector<std::pair<std::string, StateDict>> callbacks = {};  ///< by state_key
  StateDict module = {};                                          ///< what the model keeps beyond its tensors
  std::vector<Texts> loggers = {};
  StateDict generators = {};  ///< of each device, by its name
};

/// All that one checkpoint holds: an instant, with its tensors and what the run is.
struct Checkpoint : Instant {
  NamedTensors weights = {};  ///< parameters and buffers, by their names in the model
  std::vector<optim::OptimizerState> optimizers = {};
  /// Of each parameter that has a gradient: the gradient, or "zero".
  StateDict gradients = {};
  /// Of each optimizer: the same of what it has gathered in parameters that another one has too.
  std::vector<StateDict> own_gradients = {};
  StateDict outsiders = {};               ///< parameters that an optimizer has and the model does not
  std::vector<std::string> frozen = {};   ///< parameters that do not require grad
  std::vector<std::string> in_eval = {};  ///< submodules in eval mode
  StateDict data = {};                    ///< what was learned from the config's training data
  Texts environment = {};                 ///< what results' bits depend on: versions, threads
  std::string run_id = {};                ///< of the run that made it
  std::string model = {};                 ///< the model's registered name
  std::string config = {};                ///< resolved, as YAML
};

/// A checkpoint as a safetensors file: the weights under their own names, all other tensors under names that
/// begin with "lightrun:", everything else as text in the metadata.
struct CheckpointFile {
  NamedTensors tensors;
  Texts metadata;
};

/// Throws RunError where a weight is called like one of lightrun's own tensors.
[[nodiscard]] CheckpointFile encode(const Checkpoint& checkpoint);

/// Writes the file with a checksum over all of it: aside, synced, renamed; the file that was there stays
/// valid until then. Throws RunError naming the path.
void write_checkpoint(const std::filesystem::path& path, const CheckpointFile& file);

/// Reads a whole checkpoint. Throws RunError, naming the path, where the file is damaged or no checkpoint of
/// lightrun, or one of a later version.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& path);

/// What a checkpoint keeps of the config's data (Checkpoint::data); empty where the file is none, or of an
/// earlier version. Throws RunError where it is damaged.
[[nodiscard]] StateDict read_learned_data(const std::filesystem::path& path);

struct SafetensorsFile;

/// The weights in a file that is a checkpoint, under all their names.
[[nodiscard]] NamedTensors weights_in_checkpoint(const std::filesystem::path& path,
                                                 const SafetensorsFile& file);

/// What can be known of a checkpoint from its first part; the rest of it may be damaged.
struct CheckpointHead {
  std::string run_id = {};
  RunState run = {};
};
/// Throws as read_checkpoint does.
[[nodiscard]] CheckpointHead read_checkpoint_head(const std::filesystem::path& path);

}  // namespace lightrun::state
