#pragma once

#include "config/data_spec.hpp"
#include "config/value.hpp"
#include "sources/source.hpp"

#include <lightrun/data.hpp>
#include <lightrun/data_info.hpp>
#include <lightrun/state_dict.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lightrun::sources {

/// Opens a plugin's source; `path` is where the config names it: "data.train".
using OpenPluginAt =
    std::function<std::unique_ptr<Source>(const config::PluginSource&, const std::string& path)>;

/// The data of the config's `data` section. A file is opened when its part is first asked for; what is
/// learned from the training part (categories, vocabulary, normalization) is learned once, or comes from a
/// checkpoint.
class ConfigData {
 public:
  enum class Part { train, val, test, predict };

  /// @param learned what a checkpoint has kept of learned(); empty: learn it
  /// @param origins where the settings stand, for messages
  ConfigData(config::DataSpec spec, StateDict learned, config::Origins origins, OpenPluginAt open_plugin);

  /// Whether the config says where this part comes from. With a `train`, it says so for all: what it does not
  /// name is not there.
  [[nodiscard]] bool has(Part part) const;

  /// A part that it has; empty where it says that there is none. Throws ConfigError (no such file, a share
  /// that leaves nothing) or RunError (a damaged file).
  [[nodiscard]] DataLoader open(Part part);

  /// The training data's fields, under the names that the model sees; empty without `train`, or where it is a
  /// stream.
  [[nodiscard]] const DataInfo& info();

  /// What was learned, for a checkpoint; tensors are shared.
  [[nodiscard]] const StateDict& learned();

 private:
  struct Training {
    std::unique_ptr<Source> source;
    std::shared_ptr<Dataset> samples;  ///< all of them, encoded; nullptr of a stream
    std::vector<int64_t> train, val, test;
  };

  [[nodiscard]] std::unique_ptr<Source> open_source_at(const std::string& path,
                                                       const config::SourceSpec& spec);
  [[nodiscard]] Training& training();
  void hold_out(Training& training, const char* path, const std::optional<config::HeldOutSpec>& spec,
                int64_t size, std::vector<int64_t>& rows);
  [[nodiscard]] DataLoader open_source_part(const std::string& path, const config::SourceSpec& spec);
  [[nodiscard]] DataLoader rows_of_training(const std::vector<int64_t>& rows);
  template <typename Function>
  auto at(const std::string& path, Function&& function);

  config::DataSpec spec_;
  bool is_learned_;
  StateDict learned_;
  config::Origins origins_;
  OpenPluginAt open_plugin_;
  std::optional<Training> training_;
  std::optional<DataInfo> info_;
};

}  // namespace lightrun::sources
