#include "config/block.hpp"
#include "config/fields.hpp"
#include "config/names.hpp"

namespace lightrun::config {

namespace {

constexpr const char* kSource = "source";

Field path_of(std::string& path, const std::string& what) {
  return required("path", path, text(), what);
}

Block source(const std::string& name, const std::string& help, std::vector<Field> fields) {
  return {.type = name, .help = help, .fields = std::move(fields), .key = kSource};
}

/// Takes the one sample of each source, and makes of it what `Spec` holds.
template <typename Spec>
std::vector<Spec> one_of_each_source() {
  std::vector<Spec> all;
  for (auto& kind : one_of_each(static_cast<const decltype(SourceSpec::kind)*>(nullptr))) {
    Spec one;
    if constexpr (std::is_same_v<Spec, SourceSpec>)
      one.kind = kind;
    else
      one.kind = SourceSpec{kind, {}};
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Block describe(CsvSource& csv) {
  return source(
      "csv",
      "A table: fields features (numbers, [N, F]), categories (from 1 in order, numbers by value, 0: not in "
      "the training part, [N, C]) and target; a target of texts becomes classes from 0",
      {path_of(csv.path, "The file"),
       setting("target", csv.target, list(text()), "Columns to predict; []: none"),
       setting("features", csv.features, or_null(list(text())), "Columns to predict from; null: all others"),
       setting("categorical", csv.categorical, list(text()),
               "Columns that are categories although they hold numbers; columns of texts always are"),
       setting("delimiter", csv.delimiter, one_character(), "What stands between two columns"),
       setting("header", csv.header, boolean(),
               "Whether the first line names the columns; else they are called 0, 1, ..."),
       setting("missing", csv.missing,
               choice<MissingValue>({{"error", MissingValue::error}, {"mean", MissingValue::mean}}),
               "An empty number: an error, or the column's mean over the training part")});
}

Block describe(NpySource& npy) {
  return source("npy", "NumPy arrays, a file a field; the first dimension counts samples",
                {required("fields", npy.fields, names(1), "Field -> path of its .npy file")});
}

Block describe(IdxSource& idx) {
  return source("idx",
                "The files of MNIST, gz or not: fields image ([N, 1, H, W], from 0 to 1) and label ([N])",
                {required("images", idx.images, text(), "File of the images"),
                 setting("labels", idx.labels, optional_text(), "File of the labels; null: none")});
}

Block describe(CifarSource& cifar) {
  return source("cifar",
                "The binary files of CIFAR: fields image ([N, 3, 32, 32], from 0 to 1) and label ([N])",
                {required("paths", cifar.paths, list(text()), "The files, one after the other"),
                 setting("classes", cifar.classes, choice<int64_t>({{"10", 10}, {"100", 100}}),
                         "CIFAR-10, or CIFAR-100 with its fine labels")});
}

Block describe(ImageFolderSource& folder) {
  return source("image_folder",
                "PNG and JPEG files in a folder a class, the classes in alphabetical order: fields image "
                "([N, C, H, W], from 0 to 1) and label ([N])",
                {path_of(folder.path, "The folder of the folders"),
                 setting("size", folder.size, or_null(list(whole(at_least(1)), 2)),
                         "Height and width to resize to; null: all images have the same already"),
                 setting("channels", folder.channels, choice<int64_t>({{"3", 3}, {"1", 1}}),
                         "Red, green and blue, or 1 for grey")});
}

Block describe(TextSource& text_source) {
  return source(
      "text",
      "A text cut into sequences for language models: fields tokens and target (the same one token later), "
      "both [N, sequence_length]",
      {path_of(text_source.path, "The file"),
       setting("unit", text_source.unit,
               choice<TextUnit>({{"characters", TextUnit::characters}, {"bytes", TextUnit::bytes}}),
               "What a token is: a character of UTF-8 that the training part has, or any byte"),
       setting("sequence_length", text_source.sequence_length, whole(at_least(1)), "Tokens in a sequence"),
       setting("stride", text_source.stride, or_null(whole(at_least(1))),
               "Tokens between the starts of two sequences; null: sequence_length")});
}

Block describe(SafetensorsSource& safetensors) {
  return source("safetensors", "Tensors of a file, each a field; the first dimension counts samples",
                {path_of(safetensors.path, "The file"),
                 setting("fields", safetensors.fields, or_null(names(1)),
                         "Field -> name of its tensor; null: all, under their own names")});
}

Block describe(SyntheticSource& synthetic) {
  return source(
      "synthetic", "Random samples to try a model with: fields features ([N, F]) and target",
      {setting("task", synthetic.task,
               choice<SyntheticTask>({{"classification", SyntheticTask::classification},
                                      {"regression", SyntheticTask::regression}}),
               "A cloud of points for each class, target [N]; or a linear function, target [N, 1]"),
       setting("samples", synthetic.samples, whole(at_least(1)), "How many"),
       setting("features", synthetic.features, whole(at_least(1)), "Numbers in a sample"),
       setting("classes", synthetic.classes, whole(at_least(2)), "Classes of a classification"),
       setting(
           "noise", synthetic.noise, number(at_least(0)),
           "Standard deviation: of a class's cloud (the centres are about 1 apart in each feature), or of "
           "what is added to the function"),
       setting("seed", synthetic.seed, whole(at_least(0)), "Of the samples; not the run's")});
}

Block describe(PluginSource& plugin) {
  return source("plugin", "A source that a plugin library offers",
                {required("name", plugin.name, text(), "Its name"),
                 free_map("params", plugin.params,
                          "Parameters of the source, which it declares itself; unknown ones are errors")});
}

Block describe(SourceSpec& spec) {
  Block block = describe(spec.kind);
  block.fields.push_back(
      setting("rename", spec.rename, names(0), "Field of the source -> name that the model knows it by"));
  return block;
}

std::vector<SourceSpec> one_of_each(const SourceSpec* /*which*/) {
  return one_of_each_source<SourceSpec>();
}

Block describe(SplitSpec& split) {
  return {
      .type = "split",
      .help = "A part of the training data, which training then does not see; {split: 0.1} is enough",
      .fields = {required("split", split.split,
                          number({.lowest = 0, .highest = 1, .above_lowest = true, .below_highest = true}),
                          "Share of the samples"),
                 setting("by", split.by,
                         choice<SplitBy>({{"automatic", SplitBy::automatic},
                                          {"random", SplitBy::random},
                                          {"end", SplitBy::end}}),
                         "At random, or the last ones; automatic: the end of a text, else at random"),
                 setting("seed", split.seed, whole(at_least(0)),
                         "Of the random choice; not the run's, so that all runs leave out the same")},
      .key = kSource,
      .implied_by = "split"};
}

Block describe(HeldOutSpec& spec) {
  return std::visit([](auto& kind) { return describe(kind); }, spec.kind);
}

std::vector<HeldOutSpec> one_of_each(const HeldOutSpec* /*which*/) {
  auto all = one_of_each_source<HeldOutSpec>();
  all.push_back({SplitSpec{}});
  return all;
}

namespace {

Field normalized_fields(std::optional<std::vector<std::string>>& fields) {
  return setting("fields", fields, or_null(list(text())),
                 "Which; null: those of floating-point numbers but target");
}

}  // namespace

Block describe(StandardNormalizeSpec& standard) {
  return {.type = "standard",
          .help = "Mean 0 and deviation 1 over the training part, each feature (or channel) for itself",
          .fields = {normalized_fields(standard.fields)}};
}

Block describe(MinMaxNormalizeSpec& min_max) {
  return {.type = "min_max",
          .help = "From 0 to 1 over the training part, each feature (or channel) for itself",
          .fields = {normalized_fields(min_max.fields)}};
}

Block describe(DataSpec& data) {
  return {
      .type = "",
      .help = "Where data comes from, and how it is loaded",
      .fields = {
          setting("batch_size", data.batch_size, whole(at_least(1)), "Samples in a batch"),
          setting("shuffle", data.shuffle, boolean(), "Take the training data in a new order in each epoch"),
          setting("drop_last", data.drop_last, boolean(),
                  "Leave out an epoch's last batch where it is smaller than the others"),
          setting("workers", data.workers, whole(at_least(0)),
                  "Threads that read batches ahead; 0: the loop reads them itself"),
          setting("prefetch", data.prefetch, whole(at_least(1)), "How many batches each worker may be ahead"),
          block("train", data.train, "Training data; null: the model's own"),
          block("val", data.val, "Validation data; null: the model's own, unless train is given"),
          block("test", data.test, "Data of lightrun test; null: the model's own, unless train is given"),
          block("predict", data.predict, "Data of lightrun predict; null: the test data"),
          block("normalize", data.normalize,
                "What is done to numbers, as it is learned from the training part and kept in checkpoints; "
                "null: nothing")}};
}

}  // namespace lightrun::config
