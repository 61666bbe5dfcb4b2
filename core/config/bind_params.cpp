#include "config/bind_params.hpp"

#include "config/codec.hpp"
#include "config/problems.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace lightrun::config {

namespace {

template <typename T>
struct IsList : std::false_type {};
template <typename T>
struct IsList<std::vector<T>> : std::true_type {};

Codec<std::string> word(const ParamDecl& declared) {
  if (declared.choices.empty()) return any_text();
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string& choice : declared.choices) words.emplace_back(choice, choice);
  return choice(words);
}

template <typename T>
Codec<T> codec_of(const ParamDecl& declared) {
  const Range range{.lowest = declared.min, .highest = declared.max};
  if constexpr (IsList<T>::value) {
    return list(codec_of<typename T::value_type>(declared));
  } else if constexpr (std::is_same_v<T, bool>) {
    return boolean();
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return whole(range);
  } else if constexpr (std::is_same_v<T, double>) {
    return number(range);
  } else {
    return word(declared);
  }
}

std::string unknown_param(const std::string& key, const ParamDecls& declared, const std::string& owner) {
  std::vector<std::string> names;
  for (const ParamDecl& param : declared) names.push_back(param.name);
  if (names.empty()) return fmt::format("unknown key ({} has no parameters)", owner);
  if (const auto meant = support::did_you_mean(key, names)) {
    return fmt::format("unknown key (did you mean {}?)", *meant);
  }
  return fmt::format("unknown key ({} has {})", owner, support::join(names));
}

}  // namespace

Params bind_params(const Value& given, const ParamDecls& declared, const std::string& plugin_dir,
                   const std::string& name, const std::string& path) {
  std::vector<Problem> problems;
  std::map<std::string, ParamValue, std::less<>> values;
  for (const ParamDecl& param : declared) values.emplace(param.name, param.default_value);
  for (const Value::Entry& entry : given.entries) {
    const std::string entry_path = dotted(path, entry.key);
    const auto report = [&](const Mark& mark, std::string text) {
      problems.push_back({mark, entry_path, std::move(text)});
    };
    const auto param = std::find_if(declared.begin(), declared.end(),
                                    [&](const ParamDecl& each) { return each.name == entry.key; });
    if (param == declared.end()) {
      report(entry.mark, unknown_param(entry.key, declared, name));
      continue;
    }
    const auto read = [&](const auto& default_value) {
      using T = std::decay_t<decltype(default_value)>;
      if (auto value = codec_of<T>(*param).read(entry.value, report)) values[entry.key] = std::move(*value);
    };
    std::visit(read, param->default_value);
  }
  throw_if_any(std::move(problems), {});
  return {std::move(values), plugin_dir};
}

}  // namespace lightrun::config
