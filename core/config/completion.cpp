#include "config/completion.hpp"

#include "config/block.hpp"
#include "config/fields.hpp"
#include "config/overrides.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace lightrun::config {
namespace {

using Words = std::set<std::string>;

Words setting_flags() {
  std::map<std::string, int> uses;  // of a last part
  Words paths;
  for (const FieldInfo& each : all_fields()) {
    if (each.path.find(".N.") != std::string::npos || !paths.insert(each.path).second) continue;
    ++uses[each.name()];
  }
  Words flags;
  for (const std::string& path : paths) {
    flags.insert(std::string(kDashes) + path);
    const std::string last = path.substr(path.rfind('.') + 1);
    if (uses[last] == 1) flags.insert(std::string(kDashes) + last);
  }
  return flags;
}

/// The words and truth values in a piece of JSON Schema.
void add_words(const nlohmann::json& schema, Words& words) {
  if (schema.contains("enum")) {
    for (const auto& word : schema["enum"])
      words.insert(word.is_string() ? word.get<std::string>() : word.dump());
  }
  if (schema.value("type", nlohmann::json()) == "boolean") words.insert({"true", "false"});
  if (schema.value("type", nlohmann::json()) == "null") words.insert("null");
  for (const auto& each : schema.value("anyOf", nlohmann::json::array())) add_words(each, words);
}

/// The values that are known of the setting a flag names.
Words values_of(const std::string& word) {
  RunSpec spec;
  const Block schema = describe(spec);
  Flag flag = flag_of(word);
  Findings findings;
  Words words;
  if (!find_setting(flag, schema, {}, findings)) return words;
  for (const Field* field : settings_at(flag.path, schema)) {
    if (field->kind == Field::Kind::leaf) add_words(nlohmann::json::parse(field->schema), words);
    if (field->kind != Field::Kind::block) continue;
    for (const Block& type : field->blocks) words.insert(type.type);
  }
  // A value that is only null or something else is no list of words.
  return words == Words{"null"} ? Words() : words;
}

std::vector<std::string> that_begin_with(std::string_view start, const Words& words) {
  std::vector<std::string> found;
  std::ranges::copy_if(words, std::back_inserter(found),
                       [&](const std::string& each) { return each.starts_with(start); });
  return found;
}

}  // namespace

std::vector<std::string> complete_settings(const std::vector<std::string>& words,
                                           const std::vector<std::string>& other_flags) {
  const std::string typed = words.empty() ? "" : words.back();
  if (typed.starts_with("-")) {
    Words flags = setting_flags();
    flags.insert(other_flags.begin(), other_flags.end());
    return that_begin_with(typed, flags);
  }
  if (words.size() < 2 || !words[words.size() - 2].starts_with(kDashes)) return {};
  return that_begin_with(typed, values_of(words[words.size() - 2]));
}

}  // namespace lightrun::config
