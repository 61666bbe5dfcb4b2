#pragma once

#include "config/field.hpp"
#include "config/value.hpp"

namespace lightrun::config {

/// Brings one file's top level into sections: trainer settings that stand there go under `trainer` (the same
/// one in both places is a problem), old names become their new ones, keys that only hold anchors go away,
/// and so does `version`, which old files have.
void into_sections(Value& root, const Block& schema, Findings& findings);

}  // namespace lightrun::config
