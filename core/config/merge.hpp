#pragma once

#include "config/field.hpp"
#include "config/value.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lightrun::config {

/// Lays `overlay`, a map of `schema`'s settings, over `base`: sections and free maps are merged, everything
/// else is replaced. A block is merged too, unless its type changes: then it is replaced whole.
void merge_settings(Value& base, Value overlay, const Block& schema);

/// What was lost where a block got another type.
struct Replaced {
  std::string old_type;
  std::string new_type;
  Mark mark;                      ///< of the old type
  std::vector<std::string> lost;  ///< the settings given with it
};

/// The same of one entry, of the setting `field` (nullptr: an unknown one).
std::optional<Replaced> merge_entry(Value::Entry& base, Value::Entry overlay, const Field* field);

/// The same of a block with one of `types`, or of an entry in a list of blocks. Where the type is changed on
/// the command line, what earlier flags have set in the block stays.
std::optional<Replaced> merge_block(Value& base, Value overlay, const std::vector<Block>& types);

/// The entry called `key`, added with null where it is not there.
[[nodiscard]] Value::Entry& entry_of(Value& map, const std::string& key, const Mark& mark);

}  // namespace lightrun::config
