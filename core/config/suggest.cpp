#include "config/suggest.hpp"

#include "config/fields.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrun::config {

namespace {

/// callbacks.0 is described as callbacks.N.
std::string described(std::string_view place) {
  const auto dot = place.rfind('.');
  const bool in_list = dot != std::string_view::npos &&
                       place.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return in_list ? fmt::format("{}.N", place.substr(0, dot)) : std::string(place);
}

std::string shown_place(const std::string& parent) {
  if (parent.empty()) return "at the top level";
  return fmt::format("under {}", parent.ends_with(".N") ? parent.substr(0, parent.size() - 2) : parent);
}

void add_once(std::vector<std::string>& words, std::string word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
}

/// The settings called `key` that are elsewhere: the places (one at the top level stands for all), or the
/// other types of this block.
struct Elsewhere {
  std::vector<std::string> places;
  std::vector<std::string> types;
};
Elsewhere find_elsewhere(std::string_view key, const std::string& here, const std::vector<FieldInfo>& all) {
  Elsewhere found;
  for (const FieldInfo& field : all) {
    if (field.name() != key) continue;
    if (field.parent() == here) {
      add_once(found.types, field.block);
    } else {
      add_once(found.places, shown_place(field.parent()));
    }
  }
  const std::string top = shown_place("");
  if (std::ranges::find(found.places, top) != found.places.end()) found.places = {top};
  return found;
}

/// Trainer settings may stand at the top level, too.
void add_short_form(std::vector<std::string>& names, const std::vector<FieldInfo>& all) {
  for (const FieldInfo& field : all) {
    if (field.parent() == "trainer") names.push_back(field.name());
  }
}

std::string known_keys(const std::vector<std::string>& known) {
  if (known.size() > kMostNames) return fmt::format("unknown key ({})", kSeeReference);
  return known.empty() ? "unknown key (there are none here)"
                       : fmt::format("unknown key (known here: {})", support::join(known));
}

}  // namespace

std::string unknown_key(std::string_view key, const std::vector<std::string>& known, std::string_view place,
                        std::string_view type) {
  static const std::vector<FieldInfo> all = all_fields();
  const std::string here = described(place);
  // `type`, `name` and the like are in many places and say nothing.
  constexpr std::size_t kFew = 2;
  const auto exact = find_elsewhere(key, here, all);
  if (!exact.types.empty()) {
    return fmt::format("unknown key ({} has no {}; {} {})", type, key, support::join(exact.types, " and "),
                       exact.types.size() == 1 ? "has" : "have");
  }
  if (!exact.places.empty() && exact.places.size() <= kFew) {
    return fmt::format("unknown key (it belongs {})", support::either(exact.places));
  }
  std::vector<std::string> valid = known;
  if (here.empty()) add_short_form(valid, all);
  if (const auto meant = support::did_you_mean(key, valid)) {
    return fmt::format("unknown key (did you mean {}?)", *meant);
  }
  std::vector<std::string> names;
  for (const FieldInfo& field : all) add_once(names, field.name());
  if (const auto meant = support::did_you_mean(key, names)) {
    const auto near = find_elsewhere(*meant, here, all);
    if (!near.places.empty() && near.places.size() <= kFew) {
      return fmt::format("unknown key (did you mean {}, {}?)", *meant, support::either(near.places));
    }
  }
  return known_keys(known);
}

}  // namespace lightrun::config
