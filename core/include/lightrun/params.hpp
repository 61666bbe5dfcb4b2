#pragma once

#include <lightrun/data_info.hpp>
#include <lightrun/export.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lightrun {

/// A parameter's value. A list holds numbers or strings of one kind.
using ParamValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                                std::vector<std::string>>;

/// One parameter a model takes from `model.params` (a source or a callback from its `params`): its name,
/// default, and what `lightrun plugins` says about it. The default's type is the parameter's type: `64` an
/// integer, `0.1` a number, `true`, `"relu"`, a list.
struct LIGHTRUN_API ParamDecl {
  ParamDecl(std::string name_, bool value, std::string help_);
  ParamDecl(std::string name_, int value, std::string help_);
  ParamDecl(std::string name_, int64_t value, std::string help_);
  ParamDecl(std::string name_, double value, std::string help_);
  ParamDecl(std::string name_, const char* value, std::string help_);
  ParamDecl(std::string name_, ParamValue value, std::string help_);

  /// Refuses values below `lowest` or above `highest`, for a list each of its values.
  ParamDecl& range(double lowest, double highest) &;
  ParamDecl&& range(double lowest, double highest) &&;
  /// Refuses strings that are not one of `values`.
  ParamDecl& one_of(std::vector<std::string> values) &;
  ParamDecl&& one_of(std::vector<std::string> values) &&;

  std::string name;
  ParamValue default_value;
  std::string help;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  ///< empty: any
};

using ParamDecls = std::vector<ParamDecl>;

/// The values of `model.params`, or of a source's or callback's `params`, checked against its declarations
/// before its constructor runs: an unknown key, a wrong type or a value out of range is a config error with
/// its position.
class LIGHTRUN_API Params {
 public:
  Params() = default;
  /// @param values every declared parameter, given or default
  /// @param plugin_dir the folder of the plugin's shared library
  Params(std::map<std::string, ParamValue, std::less<>> values, std::string plugin_dir);

  /// The value of a declared parameter; T is one of ParamValue's types, or double for a declared integer, or
  /// any smaller integer the value fits. Throws PluginError for an undeclared name or another type: a mistake
  /// in the plugin, not in the config.
  template <typename T>
  [[nodiscard]] T get(std::string_view name) const;

  /// Path of a file shipped in the plugin's folder. Throws PluginError, naming the path, where it is not
  /// there.
  [[nodiscard]] std::string resource(std::string_view file) const;

  /// The training data that the config gives (`data.train`): how many features, which classes. Empty where
  /// the model brings its own.
  [[nodiscard]] const DataInfo& data() const { return data_; }
  void set_data(DataInfo data) { data_ = std::move(data); }

  [[nodiscard]] const std::map<std::string, ParamValue, std::less<>>& values() const { return values_; }

 private:
  std::map<std::string, ParamValue, std::less<>> values_;
  std::string plugin_dir_;
  DataInfo data_;
};

template <>
LIGHTRUN_API bool Params::get<bool>(std::string_view name) const;
template <>
LIGHTRUN_API int64_t Params::get<int64_t>(std::string_view name) const;
template <>
LIGHTRUN_API int Params::get<int>(std::string_view name) const;
template <>
LIGHTRUN_API double Params::get<double>(std::string_view name) const;
template <>
LIGHTRUN_API std::string Params::get<std::string>(std::string_view name) const;
template <>
LIGHTRUN_API std::vector<int64_t> Params::get<std::vector<int64_t>>(std::string_view name) const;
template <>
LIGHTRUN_API std::vector<double> Params::get<std::vector<double>>(std::string_view name) const;
template <>
LIGHTRUN_API std::vector<std::string> Params::get<std::vector<std::string>>(std::string_view name) const;

}  // namespace lightrun
