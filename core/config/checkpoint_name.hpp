#pragma once

#include "config/codec.hpp"
#include "config/run_spec.hpp"
#include "config/scalar.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What the file of a checkpoint is called: a pattern such as `{epoch}-{val_loss:.3f}`, without .ckpt. In
/// braces stands epoch, step or the name of a metric, and after a colon how it is written:
/// [width][.precision][d|f|e|g], each of them optional. d is for epoch and step only, and has no precision.
namespace lightrun::config {

/// A part of such a pattern.
struct NamePiece {
  std::string text = {};    ///< as it stands, or the name in the braces: "val_loss"
  bool is_value = false;    ///< it stood in braces
  std::string format = {};  ///< of a value, as fmt takes it: ".3f", "03d"; "" without one

  friend bool operator==(const NamePiece&, const NamePiece&) = default;
};

/// The parts in their order, or what is wrong and at which character (from 1): "the { at character 9 is never
/// closed". The pattern is one file's name: not empty, without / outside of braces and control characters,
/// not beginning with a point, not ending in .ckpt, and not `last`, which is another file.
[[nodiscard]] Parsed<std::vector<NamePiece>> parse_checkpoint_name(std::string_view pattern);

/// A text that parse_checkpoint_name() takes.
[[nodiscard]] Codec<std::string> checkpoint_name();

/// The pattern that holds: `filename`, or without one `best` of the one checkpoint that a metric chooses, and
/// `{epoch}-{step}` of several or the newest.
[[nodiscard]] std::string effective_filename(const ModelCheckpointSpec& checkpoint);

}  // namespace lightrun::config
