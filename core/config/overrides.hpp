#pragma once

#include "config/field.hpp"
#include "config/flags.hpp"
#include "config/value.hpp"

#include <string>
#include <vector>

namespace lightrun::config {

/// Lays the command line's settings over `root`, the merged files, one after the other:
///
///     --trainer.max_epochs 3   --trainer.max_epochs=3   --trainer.max-epochs 3   --max_epochs 3
///     --callbacks '[csv]' replaces a list, --callbacks+ '{type: ...}' appends to it, --callbacks.0.monitor
///     val_acc changes an entry; --optimizer.type sgd replaces the block; --model.params.hidden 64
///
/// What follows is YAML. The same flag twice: the last wins. Old names are taken too (deprecated.hpp). What
/// is wrong is a problem placed at the flag; where another type drops what a file has given, that is a
/// warning.
void apply_flags(Value& root, const Block& schema, std::vector<Flag> flags, const OwnFlags& own,
                 Findings& findings);

}  // namespace lightrun::config
