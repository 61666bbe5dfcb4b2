#include "config/reference.hpp"

#include "config/deprecated.hpp"
#include "config/fields.hpp"
#include "config/resumed.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

TEST_CASE("configs/REFERENCE.md is what lightrun reference prints") {
  INFO("if a setting has changed: build/bin/lightrun reference > configs/REFERENCE.md");
  CHECK(read_file(LIGHTRUN_SOURCE_DIR "/configs/REFERENCE.md") == reference());
}

TEST_CASE("the reference has every setting, every type and every old name") {
  const std::string page = reference();
  const auto has = [&](const std::string& text) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  };
  for (const FieldInfo& field : all_fields()) {
    if (field.name() != "type" && field.kind == Field::Kind::leaf) has("\n| `" + field.name() + "` | ");
    if (!field.block.empty()) has("### `type: " + field.block + "`");
  }
  for (const OldName& old : old_names()) has("\n| `" + old.name + "` | ");
  for (const OldSetting& old : old_settings()) has("\n| `" + old.name + "` | `" + old.now + "` | ");
  for (const std::string& path : settings_from_checkpoint()) has("`" + path + "`");
  has("| `max_epochs` | a whole number | >= -1 | `1000` | Stop after this many epochs; -1: no limit |");
  has("| `plugin` | a text |  | must be given | ");
  has("| `accumulation_divisor` | window \\| fixed |  | `window` | ");
}
