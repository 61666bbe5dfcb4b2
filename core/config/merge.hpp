#pragma once

#include "config/field.hpp"
#include "config/value.hpp"

namespace lightrun::config {

/// Lays `overlay`, a map of `schema`'s settings, over `base`: sections and free maps are merged, everything
/// else is replaced. A block is merged too, unless its type changes: then it is replaced whole.
void merge_settings(Value& base, Value overlay, const Block& schema);

/// The same of one entry, of the setting `field` (nullptr: an unknown one).
void merge_entry(Value::Entry& base, Value::Entry overlay, const Field* field);

/// The same of a block, or of an entry in a list of blocks. Where the type is changed on the command line,
/// what earlier flags have set in the block stays.
void merge_block(Value& base, Value overlay);

/// The entry called `key`, added with null where it is not there.
[[nodiscard]] Value::Entry& entry_of(Value& map, const std::string& key, const Mark& mark);

}  // namespace lightrun::config
