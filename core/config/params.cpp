#include <lightrun/error.hpp>
#include <lightrun/params.hpp>

#include "support/text.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <limits>
#include <system_error>

namespace lightrun {

namespace {

/// In the order of ParamValue's types.
constexpr std::array kTypeNames{"true or false",           "a whole number",    "a number",       "a text",
                                "a list of whole numbers", "a list of numbers", "a list of texts"};
static_assert(kTypeNames.size() == std::variant_size_v<ParamValue>);

using Values = std::map<std::string, ParamValue, std::less<>>;

const ParamValue& declared(const Values& values, std::string_view name) {
  const auto at = values.find(name);
  if (at != values.end()) return at->second;
  std::vector<std::string> names;
  for (const auto& [known, value] : values) names.push_back(known);
  throw PluginError(
      fmt::format("the model asks for the parameter '{}', which it does not declare (declared: {})", name,
                  names.empty() ? "none" : support::join(names)));
}

[[noreturn]] void wrong_type(std::string_view name, const ParamValue& value, std::string_view asked) {
  throw PluginError(fmt::format("the model declares its parameter '{}' as {}, but asks for {}", name,
                                kTypeNames.at(value.index()), asked));
}

template <typename T>
T exactly(const Values& values, std::string_view name) {
  const ParamValue& value = declared(values, name);
  if (const T* held = std::get_if<T>(&value)) return *held;
  wrong_type(name, value, kTypeNames.at(ParamValue(T()).index()));
}

}  // namespace

ParamDecl::ParamDecl(std::string name_, bool value, std::string help_)
    : name(std::move(name_)), default_value(value), help(std::move(help_)) {}
ParamDecl::ParamDecl(std::string name_, int value, std::string help_)
    : ParamDecl(std::move(name_), int64_t{value}, std::move(help_)) {}
ParamDecl::ParamDecl(std::string name_, int64_t value, std::string help_)
    : name(std::move(name_)), default_value(value), help(std::move(help_)) {}
ParamDecl::ParamDecl(std::string name_, double value, std::string help_)
    : name(std::move(name_)), default_value(value), help(std::move(help_)) {}
ParamDecl::ParamDecl(std::string name_, const char* value, std::string help_)
    : name(std::move(name_)), default_value(std::string(value)), help(std::move(help_)) {}
ParamDecl::ParamDecl(std::string name_, ParamValue value, std::string help_)
    : name(std::move(name_)), default_value(std::move(value)), help(std::move(help_)) {}

ParamDecl& ParamDecl::range(double lowest, double highest) & {
  min = lowest;
  max = highest;
  return *this;
}
ParamDecl&& ParamDecl::range(double lowest, double highest) && {
  return std::move(range(lowest, highest));
}

ParamDecl& ParamDecl::one_of(std::vector<std::string> values) & {
  choices = std::move(values);
  return *this;
}
ParamDecl&& ParamDecl::one_of(std::vector<std::string> values) && {
  return std::move(one_of(std::move(values)));
}

Params::Params(std::map<std::string, ParamValue, std::less<>> values, std::string plugin_dir)
    : values_(std::move(values)), plugin_dir_(std::move(plugin_dir)) {}

template <>
bool Params::get<bool>(std::string_view name) const {
  return exactly<bool>(values_, name);
}

template <>
int64_t Params::get<int64_t>(std::string_view name) const {
  return exactly<int64_t>(values_, name);
}

template <>
int Params::get<int>(std::string_view name) const {
  const auto value = exactly<int64_t>(values_, name);
  if (value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max()) {
    return static_cast<int>(value);
  }
  throw PluginError(fmt::format(
      "the model asks for its parameter '{}' as an int, which cannot hold {}: ask for int64_t, or declare "
      "a range",
      name, value));
}

template <>
double Params::get<double>(std::string_view name) const {
  if (const auto* whole = std::get_if<int64_t>(&declared(values_, name))) return static_cast<double>(*whole);
  return exactly<double>(values_, name);
}

template <>
std::string Params::get<std::string>(std::string_view name) const {
  return exactly<std::string>(values_, name);
}

template <>
std::vector<int64_t> Params::get<std::vector<int64_t>>(std::string_view name) const {
  return exactly<std::vector<int64_t>>(values_, name);
}

template <>
std::vector<double> Params::get<std::vector<double>>(std::string_view name) const {
  if (const auto* whole = std::get_if<std::vector<int64_t>>(&declared(values_, name))) {
    return {whole->begin(), whole->end()};
  }
  return exactly<std::vector<double>>(values_, name);
}

template <>
std::vector<std::string> Params::get<std::vector<std::string>>(std::string_view name) const {
  return exactly<std::vector<std::string>>(values_, name);
}

std::string Params::resource(std::string_view file) const {
  const auto path = std::filesystem::path(plugin_dir_) / file;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw PluginError(fmt::format("{}: no such file in the plugin's folder", path.string()));
  }
  return path.string();
}

}  // namespace lightrun
