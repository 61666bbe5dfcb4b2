#include "config/checkpoint_name.hpp"

#include "config/configs.hpp"
#include "config/dump.hpp"
#include "support/catch.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

std::string wrong_in(const std::string& pattern) {
  return parse_checkpoint_name(pattern).error;
}

ModelCheckpointSpec checkpoint_of(const std::string& settings) {
  const auto spec = spec_of(kModel + "callbacks: [{type: model_checkpoint" + settings + "}]\n");
  return std::get<ModelCheckpointSpec>(spec.callbacks.at(0));
}

}  // namespace

TEST_CASE("a checkpoint's name is texts and values in their order") {
  using Pieces = std::vector<NamePiece>;
  CHECK(parse_checkpoint_name("{epoch}-{step}").value == Pieces{{"epoch", true}, {"-"}, {"step", true}});
  CHECK(parse_checkpoint_name("a{epoch:03d}b{val_loss:8.3f}").value ==
        Pieces{{"a"}, {"epoch", true, "03d"}, {"b"}, {"val_loss", true, "8.3f"}});
  CHECK(parse_checkpoint_name("best").value == Pieces{{"best"}});
  CHECK(parse_checkpoint_name("{val/loss}").value == Pieces{{"val/loss", true}});
  CHECK(parse_checkpoint_name("{lastly}").value == Pieces{{"lastly", true}});
}

TEST_CASE("a format is a width, a precision and a letter, each of them optional") {
  for (const char* format : {"3", "03", ".2", "8.3", "f", ".3f", "10.12e", "g", ".0g"}) {
    CAPTURE(format);
    CHECK(wrong_in("{acc:" + std::string(format) + "}").empty());
  }
  CHECK(wrong_in("{step:06d}").empty());
  CHECK(wrong_in("{epoch:.1f}").empty());
  for (const char* format :
       {"", "x", ".f", ".3q", "3.d", ".3d", "100", ".100f", "<8", "+.3f", "3f ", "f3", "{}"}) {
    CAPTURE(format);
    CHECK_FALSE(wrong_in("{epoch:" + std::string(format) + "}").empty());
  }
}

TEST_CASE("what is wrong in a checkpoint's name is said with its place, counted in characters") {
  const std::pair<const char*, const char*> cases[] = {
      {"", "must not be empty"},
      {"last", "must not be last, which is the newest checkpoint's name"},
      {".best", "must not begin with a point"},
      {"..", "must not begin with a point"},
      {"best.ckpt", "must not end in .ckpt, which is added"},
      {"a\nb", "must be on one line, without control characters"},
      {"a/{epoch}", "must be a plain file name without / (at character 2)"},
      {"{epoch}/b", "must be a plain file name without / (at character 8)"},
      {"{epoch}-{step", "the { at character 9 is never closed"},
      {"{epoch", "the { at character 1 is never closed"},
      {"{ep{och}}", "the { at character 1 is never closed"},
      {"epoch}", "the } at character 6 closes nothing"},
      {"{epoch}}", "the } at character 8 closes nothing"},
      {"\xC3\xA9{}", "the { at character 2 needs a name without blanks around it, as in {epoch}"},
      {"{:.3f}", "the { at character 1 needs a name without blanks around it, as in {epoch}"},
      {"{ epoch}", "the { at character 1 needs a name without blanks around it, as in {epoch}"},
      {"x{acc:.3q}", "the format '.3q' at character 7 must be [width][.precision][d|f|e|g], as in .3f"},
      {"{acc:}", "the format '' at character 6 must be [width][.precision][d|f|e|g], as in .3f"},
      {"{acc:3d}", "the format '3d' at character 6: d is for epoch and step; acc may have f, e or g"},
  };
  for (const auto& [pattern, text] : cases) {
    CAPTURE(pattern);
    CHECK(wrong_in(pattern) == text);
    CHECK_FALSE(parse_checkpoint_name(pattern).value);
  }
}

TEST_CASE("filename is such a pattern, and wrong at its place in the config") {
  CHECK(checkpoint_of(", filename: \"{epoch}-{val_loss:.3f}\"").filename == "{epoch}-{val_loss:.3f}");
  CHECK(checkpoint_of(", filename: 010").filename == "010");
  CHECK(checkpoint_of(", filename: null").filename == std::nullopt);
  CHECK(checkpoint_of("").filename == std::nullopt);
  const std::string before = kModel + "callbacks:\n  - type: model_checkpoint\n    filename: ";
  CHECK(problems_of(before + "x-{acc:.3q}\n") ==
        "a.yaml:4:15: callbacks.0.filename: the format '.3q' at character 8 must be "
        "[width][.precision][d|f|e|g], as in .3f, got 'x-{acc:.3q}'");
  CHECK(problems_of(before + "''\n") == "a.yaml:4:15: callbacks.0.filename: must not be empty");
  CHECK(problems_of(before + "[a]\n") == "a.yaml:4:15: callbacks.0.filename: expected a text, got a list");
  CHECK(problems_of(before + "x\n", {"--callbacks.0.filename=last"}) ==
        "--callbacks.0.filename: must not be last, which is the newest checkpoint's name, got 'last'");
  const std::string text = dump(spec_of(before + "\"{epoch:03d}: é\"\n"));
  CHECK_THAT(text, Catch::Matchers::Contains("    filename: \"{epoch:03d}: é\"\n"));
  CHECK(dump(spec_of(text)) == text);
}

TEST_CASE("without a filename the one best is called so, and others by epoch and step") {
  CHECK(effective_filename({}) == "best");
  CHECK(effective_filename({.save_top_k = 3}) == "{epoch}-{step}");
  CHECK(effective_filename({.save_top_k = -1}) == "{epoch}-{step}");
  CHECK(effective_filename({.monitor = std::nullopt}) == "{epoch}-{step}");
  CHECK(effective_filename({.save_top_k = 3, .filename = "x"}) == "x");
}
