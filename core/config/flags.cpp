#include "config/flags.hpp"

#include "config/deprecated.hpp"
#include "config/fields.hpp"
#include "config/suggest.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

namespace lightrun::config {

namespace {

std::vector<std::string> split(std::string_view name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c == '-' ? '_' : c;
    }
  }
  return parts;
}

std::string joined(const std::vector<std::string>& path) {
  return support::join(path, ".");
}

std::vector<std::string> names(const std::vector<Block>& blocks) {
  std::vector<std::string> names;
  for (const Block& block : blocks) {
    if (!block.type.empty()) names.push_back(block.key);
    for (const Field& field : block.fields) names.push_back(field.name);
  }
  return names;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// How far a path is known: `at` is the part that is not (the path's size if all are), and `known` could be
/// there.
struct Known {
  std::size_t at = 0;
  std::vector<std::string> known = {};
};

/// Of a path into a block: one more name.
Known into_block(const std::vector<std::string>& path, std::size_t at, const std::vector<Block>& types) {
  auto known = names(types);
  if (at >= path.size()) return {path.size()};
  if (!contains(known, path[at])) return {at, std::move(known)};
  return {at + 1};
}

Known follow(const std::vector<std::string>& path, std::size_t at, const Block& block) {
  const Field* field = block.find(path[at]);
  if (field == nullptr) return {at, names({block})};
  ++at;
  switch (field->kind) {
    case Field::Kind::leaf:
      return {at};
    case Field::Kind::section:
      return at == path.size() ? Known{at} : follow(path, at, field->blocks.front());
    case Field::Kind::block:
      return into_block(path, at, field->blocks);
    case Field::Kind::blocks:
      if (at < path.size() && !list_index(path[at])) return {at};
      return into_block(path, at + 1, field->blocks);
    case Field::Kind::free_map:
      return {contains(path, "") ? at : path.size()};
  }
  return {at};
}

/// Full paths of the settings called `name`, those of list entries last.
std::vector<std::string> called(std::string_view name) {
  std::vector<std::string> paths;
  std::vector<std::string> in_lists;
  for (const FieldInfo& field : all_fields()) {
    if (field.name() != name) continue;
    const auto entry = field.path.find(".N.");
    auto& target = entry == std::string::npos ? paths : in_lists;
    std::string path = field.path;
    if (entry != std::string::npos) path.replace(entry, 3, ".0.");
    if (!contains(target, path)) target.push_back(path);
  }
  paths.insert(paths.end(), in_lists.begin(), in_lists.end());
  return paths;
}

bool is_in_list(const std::string& path) {
  return path.find(".0.") != std::string::npos;
}

/// Adds the settings at `path`: of a block, one for each type that has it.
void find_fields(std::span<const std::string> path, const Block& block, std::vector<const Field*>& found) {
  const Field* field = path.empty() ? nullptr : block.find(path[0]);
  if (field == nullptr) return;
  path = path.subspan(1);
  if (path.empty()) found.push_back(field);
  const bool has_index = field->kind == Field::Kind::blocks && !path.empty();
  if (has_index) path = path.subspan(1);
  for (const Block& inner : field->blocks) find_fields(path, inner, found);
}

std::vector<std::string> as_flags(const std::vector<std::string>& paths) {
  std::vector<std::string> flags;
  for (const std::string& path : paths) flags.push_back(fmt::format("{}{}", kDashes, path));
  return flags;
}

/// " (did you mean --max_epochs?)" of a name without dots.
std::string suggest_short(const std::string& name, const Block& schema, const OwnFlags& own) {
  if (const auto paths = called(name); !paths.empty()) {
    return fmt::format(" (did you mean {}?)", support::either(as_flags(paths)));
  }
  std::vector<std::string> candidates = names({schema});
  for (const FieldInfo& field : all_fields()) {
    if (!contains(candidates, field.name())) candidates.push_back(field.name());
  }
  for (const std::string& flag : own.flags) candidates.push_back(flag.substr(flag.find_first_not_of('-')));
  if (const auto meant = support::did_you_mean(name, candidates)) {
    return fmt::format(" (did you mean {}{}?)", kDashes, *meant);
  }
  return fmt::format(" (a parameter of the model is {}model.params.{})", kDashes, name);
}

/// The same of a path, whose part `known.at` is wrong.
std::string suggest_path(const std::vector<std::string>& path, const Known& known) {
  std::vector<std::string> better = path;
  if (const auto meant = support::did_you_mean(path[known.at], known.known)) {
    better[known.at] = *meant;
    return fmt::format(" (did you mean {}{}?)", kDashes, joined(better));
  }
  if (const auto paths = called(path.back()); !paths.empty() && paths.size() <= 2) {
    return fmt::format(" (did you mean {}?)", support::either(as_flags(paths)));
  }
  if (known.known.size() > kMostNames) return fmt::format(" ({})", kSeeReference);
  if (!known.known.empty()) return fmt::format(" (known here: {})", support::join(known.known));
  better.resize(known.at);
  return fmt::format(" (did you mean {}{}?)", kDashes, joined(better));
}

}  // namespace

std::string no_such_option(const OwnFlags& own, const std::string& typed, const std::string& hint) {
  std::string text = fmt::format("there is no option {}{}", typed, hint);
  if (own.command.empty()) return text;
  text = fmt::format("{}: {}", own.command, text);
  return typed.find('.') == std::string::npos ? fmt::format("{}; see {} --help", text, own.command) : text;
}

std::optional<std::size_t> list_index(std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

Flag flag_of(const std::string& word) {
  const auto equals = word.find('=');
  Flag flag{.typed = word.substr(0, equals), .path = {}, .value = std::nullopt};
  std::string_view name = std::string_view(flag.typed).substr(kDashes.size());
  flag.append = name.ends_with('+');
  if (flag.append) name.remove_suffix(1);
  flag.path = split(name);
  if (equals != std::string::npos) flag.value = word.substr(equals + 1);
  return flag;
}

std::vector<const Field*> settings_at(const std::vector<std::string>& path, const Block& schema) {
  const bool is_short = path.size() == 1 && schema.find(path[0]) == nullptr;
  const auto paths = is_short ? called(path[0]) : std::vector<std::string>{joined(path)};
  std::vector<const Field*> found;
  if (paths.size() == 1) find_fields(split(paths[0]), schema, found);
  return found;
}

bool find_setting(Flag& flag, const Block& schema, const OwnFlags& own, Findings& findings) {
  const auto refuse = [&](std::string text) {
    findings.report({flag.typed, 0, 0}, "", std::move(text));
    return false;
  };
  const Known known = follow(flag.path, 0, schema);
  if (known.at == flag.path.size()) return true;
  if (flag.path.size() > 1) {
    return refuse(no_such_option(own, flag.typed, suggest_path(flag.path, known)));
  }
  const auto paths = called(flag.path[0]);
  const bool only_in_list = !paths.empty() && is_in_list(paths[0]);
  if (paths.size() == 1 && !only_in_list) {
    flag.path = split(paths[0]);
    return true;
  }
  if (paths.size() > 1 && !only_in_list) {
    return refuse(
        fmt::format("{} may be {}: write it in full", flag.typed, support::either(as_flags(paths))));
  }
  return refuse(no_such_option(own, flag.typed, suggest_short(flag.path[0], schema, own)));
}

}  // namespace lightrun::config
