#include "config/command_line.hpp"

#include "config/deprecated.hpp"
#include "config/fields.hpp"
#include "config/yaml_reader.hpp"

#include <algorithm>

namespace lightrun::config {

namespace {

/// Whether the setting takes `word`, written as YAML.
bool takes(const Field& field, const std::string& word, const Flag& flag) {
  Findings findings;
  const auto value = read_flag_value(word, flag.typed, findings.problems);
  if (value) field.read(*value, {field.name, {}}, findings);
  return findings.problems.empty();
}

/// Reads values on trial, for which it has a spec of its own.
class Splitter {
 public:
  [[nodiscard]] bool may_stand_alone(const Flag& flag) const {
    if (const OldName* old = find_old_name(flag.path)) return old->takes_true;
    return std::ranges::any_of(settings_at(flag.path, schema_), &Field::takes_true);
  }

  [[nodiscard]] bool is_value(const std::string& word, const Flag& flag) const {
    if (word.starts_with(kDashes)) return false;
    if (!may_stand_alone(flag)) return true;
    if (word.starts_with('-') || word.find_first_of("./") == std::string::npos) return true;
    return std::ranges::any_of(settings_at(flag.path, schema_),
                               [&](const Field* field) { return takes(*field, word, flag); });
  }

 private:
  RunSpec trial_;
  Block schema_ = describe(trial_);
};

}  // namespace

CommandLine read_command_line(const std::vector<std::string>& words) {
  CommandLine line;
  Splitter splitter;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) {
      line.files.push_back(words[i]);
      continue;
    }
    if (!words[i].starts_with(kDashes) || words[i].size() == kDashes.size()) {
      line.unexpected.push_back(words[i]);
      continue;
    }
    Flag flag = flag_of(words[i]);
    if (!flag.value && i + 1 < words.size() && splitter.is_value(words[i + 1], flag)) {
      flag.value = words[++i];
    } else if (!flag.value && splitter.may_stand_alone(flag)) {
      flag.value = "true";
    }
    line.flags.push_back(std::move(flag));
  }
  return line;
}

}  // namespace lightrun::config
