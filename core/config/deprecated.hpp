#pragma once

#include "config/codec.hpp"
#include "config/field.hpp"
#include "config/value.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Names of Lightning's Trainer (0.7 to 0.9, and some of 2.x) that lightrun calls otherwise, or does not
/// have. Files (at the top level and under `trainer`), flags and the reference page follow from one table.
namespace lightrun::config {

struct OldName {
  std::string name;  ///< "max_nb_epochs"
  std::string now;   ///< "trainer.max_epochs"; "" where nothing is set: then it is refused with `note`
  std::string note;  ///< what else there is to know
  /// The new setting's value; nothing where none has to be set, or where it has reported something. Without
  /// it the value is taken as it is.
  std::function<std::optional<Value>(const Value&, const Report&)> convert = {};
  bool takes_true = false;  ///< its flag may stand alone, for `true`
  bool appends = false;     ///< the new setting is one more entry of `now`, a list

  [[nodiscard]] bool is_refused() const { return now.empty(); }
  /// "max_nb_epochs is now called trainer.max_epochs", with the names as `dashes` has them ("--" of a flag).
  [[nodiscard]] std::string warning(std::string_view dashes = "") const;
};

[[nodiscard]] const std::vector<OldName>& old_names();

/// nullptr of a name that is not old.
[[nodiscard]] const OldName* find_old_name(std::string_view name);
/// The same of a setting's path: `max_nb_epochs` or `trainer.max_nb_epochs`.
[[nodiscard]] const OldName* find_old_name(const std::vector<std::string>& path);

/// The same of a callback's settings: `{type: model_checkpoint, period: 2}`.
struct OldSetting {
  std::string type;  ///< "model_checkpoint"
  std::string name;  ///< "period"
  std::string now;   ///< "every_n_epochs"

  /// "period of model_checkpoint is now called every_n_epochs".
  [[nodiscard]] std::string warning() const;
};

[[nodiscard]] const std::vector<OldSetting>& old_settings();

/// Of a path such as callbacks.0.period, whatever the entry's type is; nullptr of any other.
[[nodiscard]] const OldSetting* find_old_setting(const std::vector<std::string>& path);

/// Gives old settings in the entries of `callbacks` their new names, each with a warning; the old and the new
/// one together are a problem.
void rename_old_settings(Value& root, Findings& findings);

/// Gives the old names in one file's tree, which is in sections already, their new ones, each with a warning.
/// An old name together with its new one is a problem, and so is a refused one. Callbacks' settings included.
void rename_old(Value& root, Findings& findings);

}  // namespace lightrun::config
