#pragma once

#include "config/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The config's `data` section: where samples come from, and how they become batches. Paths are relative to
/// the folder lightrun is started in.
namespace lightrun::config {

/// Name -> name, or name -> path.
using Names = std::map<std::string, std::string>;

enum class MissingValue { error, mean };
enum class TextUnit { bytes, characters };
enum class SyntheticTask { classification, regression };
enum class SplitBy { automatic, random, end };

/// `source: csv`. Fields: `features` [N, F] of the numeric columns, `categories` [N, C] of the others (from 1
/// in order, numbers by value; 0: a value that the training part does not have), `target`.
struct CsvSource {
  std::string path;
  std::vector<std::string> target;                   ///< columns; none: there is no field `target`
  std::optional<std::vector<std::string>> features;  ///< columns; nothing: all others
  std::vector<std::string> categorical;  ///< columns that are categories although they hold numbers
  std::string delimiter = ",";
  bool header = true;  ///< false: columns are called "0", "1", ...
  MissingValue missing = MissingValue::error;
};
/// `source: npy`. A field a file.
struct NpySource {
  Names fields;
};
/// `source: idx`, the format of MNIST, gz or not. Fields: `image` [N, 1, H, W] in [0, 1], `label` [N].
struct IdxSource {
  std::string images;
  std::string labels;  ///< "": none
};
/// `source: cifar`, the binary version. Fields: `image` [N, 3, 32, 32] in [0, 1], `label` [N].
struct CifarSource {
  std::vector<std::string> paths;
  int64_t classes = 10;  ///< 10 or 100 (with its fine labels)
};
/// `source: image_folder`: a folder a class, in alphabetical order. Fields: `image` [N, C, H, W] in [0, 1],
/// `label` [N].
struct ImageFolderSource {
  std::string path;
  std::optional<std::vector<int64_t>> size;  ///< height and width; nothing: all images have the same
  int64_t channels = 3;                      ///< 1: grey
};
/// `source: text`. Fields: `tokens` [N, T] and `target` [N, T], the same one token later.
struct TextSource {
  std::string path;
  TextUnit unit = TextUnit::characters;
  int64_t sequence_length = 128;
  std::optional<int64_t> stride;  ///< tokens between the starts of two sequences; nothing: sequence_length
};
/// `source: safetensors`. A field a tensor.
struct SafetensorsSource {
  std::string path;
  std::optional<Names> fields;  ///< field -> tensor; nothing: all tensors under their own names
};
/// `source: synthetic`. Fields: `features` [N, F], `target` [N] or [N, 1].
struct SyntheticSource {
  SyntheticTask task = SyntheticTask::classification;
  int64_t samples = 1000;
  int64_t features = 16;
  int64_t classes = 2;
  double noise = 0.1;
  int64_t seed = 0;
};
/// `source: plugin`: one that a plugin library registers.
struct PluginSource {
  std::string name;
  Value params;  ///< a map, checked against the source's declarations
};

/// One of these, with fields under other names where `rename` says so.
struct SourceSpec {
  std::variant<CsvSource, NpySource, IdxSource, CifarSource, ImageFolderSource, TextSource, SafetensorsSource,
               SyntheticSource, PluginSource>
      kind;
  Names rename;  ///< field of the source -> name in the batch
};

/// `{split: 0.1}`: a part of the training data, which training then does not see.
struct SplitSpec {
  double split = 0.1;  ///< share of the samples, in (0, 1)
  SplitBy by = SplitBy::automatic;
  int64_t seed = 0;  ///< of the random choice; not the run's seed, so that all runs hold out the same
};
struct HeldOutSpec {
  std::variant<SourceSpec, SplitSpec> kind;
};

/// `normalize: standard`: (x - mean) / deviation, of each feature (or each channel of an image) over the
/// training part. `min_max`: to [0, 1].
struct StandardNormalizeSpec {
  std::optional<std::vector<std::string>> fields;  ///< nothing: floating-point fields but `target`
};
struct MinMaxNormalizeSpec {
  std::optional<std::vector<std::string>> fields;
};
using NormalizeSpec = std::variant<StandardNormalizeSpec, MinMaxNormalizeSpec>;

struct DataSpec {
  int64_t batch_size = 32;
  bool shuffle = true;
  bool drop_last = false;
  int64_t workers = 0;              ///< threads that read batches ahead; 0: the loop reads them
  int64_t prefetch = 2;             ///< batches that each worker may be ahead
  std::optional<SourceSpec> train;  ///< nothing: the model's own data
  std::optional<HeldOutSpec> val;
  std::optional<HeldOutSpec> test;
  std::optional<SourceSpec> predict;  ///< nothing: what `test` has
  std::optional<NormalizeSpec> normalize;
};

}  // namespace lightrun::config
