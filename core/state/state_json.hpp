#pragma once

#include <lightrun/state_dict.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// State to JSON and back, with the same bits: whatever has a for_each_field, and the usual values and
/// containers. NaN and infinities are texts, since JSON has none.
namespace lightrun::state {

using Json = nlohmann::ordered_json;

/// Thrown where JSON is not what it should be; the reader adds the file's name.
struct WrongJson : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

template <typename T>
inline constexpr bool is_list = false;
template <typename T>
inline constexpr bool is_list<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_list<std::deque<T>> = true;
template <typename T, std::size_t N>
inline constexpr bool is_list<std::array<T, N>> = true;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_map = false;
template <typename T, typename Less>
inline constexpr bool is_map<std::map<std::string, T, Less>> = true;

inline Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

inline double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return kInfinity;
  if (json == "-inf") return -kInfinity;
  throw WrongJson("a number is missing");
}

}  // namespace detail

template <typename T>
[[nodiscard]] Json to_json(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return detail::number_json(value);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<int64_t>(value);
  } else if constexpr (detail::is_optional<T>) {
    return value ? to_json(*value) : Json();
  } else if constexpr (detail::is_list<T>) {
    Json list = Json::array();
    for (const typename T::value_type& each : value) list.push_back(to_json(each));
    return list;
  } else if constexpr (detail::is_map<T>) {
    Json map = Json::object();
    for (const auto& [name, each] : value) map[name] = to_json(each);
    return map;
  } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    Json object = Json::object();
    for_each_field(const_cast<T&>(value),
                   [&](const char* name, const auto& field) { object[name] = to_json(field); });
    return object;
  } else {
    return value;
  }
}

/// A field that is not there is nothing, if it may be: a version before did not know it. Throws WrongJson
/// naming the field.
template <typename T>
void from_json(const Json& json, T& value) {
  const auto need = [](bool is_right, const char* what) {
    if (!is_right) throw WrongJson(std::string("it is not ") + what);
  };
  if constexpr (std::is_same_v<T, double>) {
    value = detail::number_of(json);
  } else if constexpr (std::is_same_v<T, bool>) {
    need(json.is_boolean(), "true or false");
    value = json.get<bool>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    need(json.is_string(), "a text");
    value = json.get<std::string>();
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    need(json.is_number_integer(), "a whole number");
    value = static_cast<T>(json.get<int64_t>());
  } else if constexpr (detail::is_optional<T>) {
    value.reset();
    if (!json.is_null()) from_json(json, value.emplace());
  } else if constexpr (detail::is_list<T>) {
    need(json.is_array(), "a list");
    if constexpr (requires { value.resize(0); }) value.resize(json.size());
    need(json.size() == value.size(), "a list of that length");
    for (std::size_t i = 0; i < json.size(); ++i) {
      typename T::value_type each{};
      from_json(json[i], each);
      value[i] = std::move(each);
    }
  } else if constexpr (detail::is_map<T>) {
    need(json.is_object(), "a map");
    value.clear();
    for (const auto& [name, each] : json.items()) from_json(each, value[name]);
  } else {
    need(json.is_object(), "an object");
    for_each_field(value, [&](const char* name, auto& field) {
      const auto found = json.find(name);
      if (found == json.end()) {
        if constexpr (detail::is_optional<std::decay_t<decltype(field)>>)
          return field.reset();
        else
          throw WrongJson(std::string(name) + ": it is not there");
      }
      try {
        from_json(*found, field);
      } catch (const WrongJson& error) {
        throw WrongJson(std::string(name) + ": " + error.what());
      }
    });
  }
}

/// Tensors of a file, by name.
using Tensors = std::map<std::string, torch::Tensor>;

/// A StateDict's values; its tensors go to `tensors`, under names that begin with `prefix`.
[[nodiscard]] Json to_json(const StateDict& values, const std::string& prefix,
                           std::vector<std::pair<std::string, torch::Tensor>>& tensors);

/// Throws WrongJson, also where one of its tensors is not among `tensors`.
[[nodiscard]] StateDict state_dict_of(const Json& json, const Tensors& tensors);

}  // namespace lightrun::state
