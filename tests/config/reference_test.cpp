#include "config/reference.hpp"

#include "config/deprecated.hpp"
#include "config/fields.hpp"
#include "config/resumed.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace lightrun::config;
using namespace lightrun::tests;

TEST_CASE("configs/REFERENCE.md begins with what the declarations say, and README has the exit codes") {
  INFO("if a setting has changed: build/bin/lightrun reference > configs/REFERENCE.md");
  const std::string page = reference();
  CHECK(read_file(LIGHTRUN_SOURCE_DIR "/configs/REFERENCE.md").substr(0, page.size()) == page);
  CHECK(page.find("\n## Exit codes\n\n" + exit_code_table()) != std::string::npos);
  CHECK(read_file(LIGHTRUN_SOURCE_DIR "/README.md").find("\n\n" + exit_code_table() + "\n") !=
        std::string::npos);
}

TEST_CASE("every exit code has its row, signals last") {
  const std::string table = exit_code_table();
  CHECK(table.find("| 0 | done |\n| 2 | wrong command line |\n| 3 | wrong config |\n| 4 | ") !=
        std::string::npos);
  CHECK(table.ends_with("| 128+n | stopped by signal n |\n"));
}

TEST_CASE("the reference has every setting, every type and every old name") {
  const std::string page = reference();
  const auto has = [&](const std::string& text) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  };
  for (const FieldInfo& field : all_fields()) {
    const bool names_type = field.name() == "type" || field.name() == "source";
    if (!names_type && field.kind == Field::Kind::leaf) has("\n| `" + field.name() + "` | ");
    const bool is_data = field.path.starts_with("data.") && !field.path.starts_with("data.normalize.");
    if (!field.block.empty()) has((is_data ? "### `source: " : "### `type: ") + field.block + "`");
  }
  for (const OldName& old : old_names()) has("\n| `" + old.name + "` | ");
  for (const OldSetting& old : old_settings()) has("\n| `" + old.name + "` | `" + old.now + "` | ");
  for (const std::string& path : settings_from_checkpoint()) has("`" + path + "`");
  has("| `max_epochs` | a whole number | >= -1 | `1000` | Stop after this many epochs; -1: no limit |");
  has("| `plugin` | a text |  | must be given | ");
  has("| `accumulation_divisor` | window \\| fixed |  | `window` | ");
}
