#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

/// Predictions on their way to a file.
namespace lightrun::predictions {

/// What a file of predictions is:
///   csv          a column a number, for people and other programs
///   npy          one field, as numpy.load reads it
///   safetensors  all fields, as tensors
///   text         a field of UTF-8 bytes [N, L], zeros at the end: a line a row
///   images       a folder of PNG files from a field [N, 1 or 3, H, W], of numbers from 0 to 1
enum class Format { csv, npy, safetensors, text, images };

struct Output {
  std::filesystem::path path;
  Format format = Format::csv;
  /// The only field that is written. "": of text the field `text`, of images `image`, of npy the only one
  /// there is, of the others all.
  std::string field = {};
  bool overwrite = false;  ///< what is there already is replaced
};

/// The output that a command line asks for: its format follows from the ending, or is `images` for a folder
/// (it is there, or the path ends in "/"). Nothing is written. Throws UsageError, listing the endings, where
/// there is no such format; RunError where the file is there already and is not to be replaced, or its folder
/// is not there or cannot be written to.
[[nodiscard]] Output open_output(const std::string& path, std::string field, bool overwrite);

/// Throws RunError: `path` is there, and --overwrite would replace it.
[[noreturn]] void throw_exists(const std::filesystem::path& path);

/// The name of the image of row `row` (from 0): "000012.png".
[[nodiscard]] std::string image_name(int64_t row);

}  // namespace lightrun::predictions
