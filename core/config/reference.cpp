#include "config/reference.hpp"

#include "config/deprecated.hpp"
#include "config/fields.hpp"
#include "config/resumed.hpp"
#include "config/yaml_writer.hpp"
#include "support/exit_codes.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace lightrun::config {

namespace {

using Infos = std::vector<FieldInfo>;

constexpr const char* kIntroduction = R"(# Settings, exit codes, commands

`lightrun reference` prints this page; it is made from what reads the configs, so it fits the executable.

A config is a YAML file with the sections below. Trainer settings may also stand at the top level
(`max_epochs: 3`). Unknown keys, wrong types and values out of range are errors, all of them at once, before
anything is made. `null` is nothing; a whole number is written without a point; texts need quotes only where YAML
would take them for something else. `${env:NAME}` is the environment variable, `${env:NAME:-text}` has a default.
)";

constexpr const char* kResuming = R"(## Resuming

`--resume last` goes on with a run (or `best`, `auto`, a checkpoint's path). What makes the training what it is comes
from the checkpoint then, whatever the config and the flags say. Everything else comes from them, also limits such as
`max_epochs` and `limit_train_batches`. What differs is listed when the run begins. From the checkpoint come, but for
`data.workers` and `data.prefetch`,
)";

constexpr const char* kFlags = R"(## Flags

    lightrun train a.yaml b.yaml --trainer.max_epochs 3

Files merge, the later one wins, and flags win over files. Files and flags may stand in any order.

| form | meaning |
|---|---|
| `--trainer.max_epochs 3`, `--trainer.max_epochs=3` | a setting by its path; `-` is as good as `_` |
| `--max_epochs 3` | its last part is enough where no other setting is called so |
| `--fast_dev_run` | where true is a value, the name alone is true |
| `--optimizer '{type: sgd, lr: 0.1}'` | the value is YAML; a block is merged, but replaced whole if its type changes |
| `--optimizer.type sgd` | another type: what files have given to the old one is dropped, with a warning |
| `--callbacks.1.patience 5` | an entry of a list, counted from 0 |
| `--callbacks+ '{type: early_stopping}'` | one more entry |
| `--callbacks '[]'` | another list |
| `--model.params.hidden 64` | a parameter of the model |
)";

/// In a table `|` would end the cell.
std::string cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

std::string table(const Infos& settings) {
  std::string text = "| setting | type | range | default | meaning |\n|---|---|---|---|---|\n";
  for (const FieldInfo& each : settings) {
    const bool must_be_given = each.default_value.empty();
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", each.name(), cell(each.type), cell(each.range),
                        must_be_given ? "must be given" : code(each.default_value), cell(each.help));
  }
  return text;
}

/// Settings of one block type, or of a section ("").
Infos settings_of(const Infos& all, const std::string& parent, const std::string& type) {
  Infos found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const FieldInfo& each) {
    return each.parent() == parent && each.block == type && each.name() != "type" && each.name() != "source";
  });
  return found;
}

bool same_but_for_the_type(const FieldInfo& a, const FieldInfo& b) {
  return a.path == b.path && a.type == b.type && a.range == b.range && a.default_value == b.default_value &&
         a.help == b.help;
}

bool is_in(const Infos& settings, const FieldInfo& wanted) {
  return std::ranges::any_of(settings,
                             [&](const FieldInfo& each) { return same_but_for_the_type(each, wanted); });
}

/// A block or a list of blocks at `path`: one table for each type, and one for what all types have.
std::string types_of_block(const Infos& all, const std::string& path, const Field& field) {
  const std::string parent = field.kind == Field::Kind::blocks ? path + ".N" : path;
  std::vector<Infos> tables;
  for (const Block& type : field.blocks) tables.push_back(settings_of(all, parent, type.type));
  Infos common;
  if (field.kind == Field::Kind::block && tables.size() > 1) {
    std::ranges::copy_if(tables.front(), std::back_inserter(common), [&](const FieldInfo& each) {
      return std::ranges::all_of(tables, [&](const Infos& other) { return is_in(other, each); });
    });
  }
  std::string text;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::erase_if(tables[i], [&](const FieldInfo& each) { return is_in(common, each); });
    const Block& type = field.blocks[i];
    text += fmt::format("\n### `{}: {}`\n\n{}.\n", type.key, type.type, type.help);
    if (!tables[i].empty()) text += '\n' + table(tables[i]);
  }
  if (!common.empty()) text += fmt::format("\n### Every type of {}\n\n{}", path, table(common));
  return text;
}

/// The blocks inside a section; a type that several of them have is told once.
std::string blocks_of_section(const Infos& all, const Field& section) {
  std::string text;
  std::map<std::string, std::string> told;  // type -> the block it was told for
  for (Field field : section.blocks.front().fields) {
    if (field.kind != Field::Kind::block) continue;
    const std::string path = dotted(section.name, field.name);
    std::string as_in;
    std::erase_if(field.blocks, [&](const Block& type) {
      const auto [at, is_new] = told.emplace(type.type, path);
      if (!is_new) as_in = at->second;
      return !is_new;
    });
    text += fmt::format(
        "\n## {}\n\n{}.{}\n", path, field.help,
        as_in.empty() ? ""
                      : fmt::format(" Takes what `{}` takes{}.", as_in, field.blocks.empty() ? "" : ", and"));
    if (!field.blocks.empty()) text += types_of_block(all, path, field);
  }
  return text;
}

std::string sections(const Infos& all) {
  RunSpec spec;
  const Block schema = describe(spec);
  Infos top = settings_of(all, "", "");
  std::erase_if(top, [](const FieldInfo& each) { return each.kind != Field::Kind::leaf; });
  std::string text = fmt::format("\n## At the top level\n\n{}", table(top));
  for (const Field& field : schema.fields) {
    if (field.kind == Field::Kind::leaf) continue;
    text += fmt::format("\n## {}\n\n{}.\n", field.name, field.help);
    if (field.kind == Field::Kind::section) {
      text += '\n' + table(settings_of(all, field.name, "")) + blocks_of_section(all, field);
    } else {
      text += fmt::format("\nDefault: {}\n", code(print_flow(field.write()))) +
              types_of_block(all, field.name, field);
    }
  }
  return text;
}

std::string old_name_table() {
  std::string text =
      "\n## Old names\n\nNames of Lightning's Trainer are taken where they always stood, at the top level, "
      "under "
      "trainer and as flags, with\na warning; those without a new name are errors that say what to do.\n\n"
      "| old name | now | what else |\n|---|---|---|\n";
  for (const OldName& old : old_names()) {
    const std::string now = old.is_refused() ? "refused" : code(old.now);
    text += fmt::format("| `{}` | {} | {} |\n", old.name, now, cell(old.note));
  }
  for (const OldSetting& old : old_settings()) {
    text += fmt::format("| `{}` | `{}` | in a {} |\n", old.name, old.now, old.type);
  }
  return text;
}

std::string resuming() {
  std::vector<std::string> settings;
  for (const std::string& path : settings_from_checkpoint()) settings.push_back(code(path));
  return fmt::format("\n{}{}.\n", kResuming, support::join(settings));
}

}  // namespace

std::string exit_code_table() {
  std::string text = "| code | meaning |\n|---|---|\n";
  for (const auto& [code, meaning] : support::exit_codes())
    text += fmt::format("| {} | {} |\n", code, meaning);
  return text;
}

std::string reference() {
  return kIntroduction + sections(all_fields()) + old_name_table() + '\n' + kFlags + resuming() +
         "\n## Exit codes\n\n" + exit_code_table();
}

}  // namespace lightrun::config
