#include "config/short_form.hpp"

#include "config/deprecated.hpp"
#include "config/merge.hpp"

#include <fmt/format.h>

#include <utility>

namespace lightrun::config {

namespace {

constexpr const char* kTrainer = "trainer";
constexpr const char* kVersion = "version";

void move_under_trainer(Value& root, std::vector<Value::Entry> settings, Findings& findings) {
  if (settings.empty()) return;
  Value::Entry& trainer = entry_of(root, kTrainer, settings.front().mark);
  if (trainer.value.kind == Value::Kind::null) trainer.value.kind = Value::Kind::map;
  if (trainer.value.kind != Value::Kind::map) return;  // wrong itself, and reported so later
  for (Value::Entry& setting : settings) {
    const Value::Entry* other = trainer.value.find_entry(setting.key);
    if (other == nullptr) {
      trainer.value.entries.push_back(std::move(setting));
      continue;
    }
    findings.report(setting.mark.line > other->mark.line ? setting.mark : other->mark,
                    dotted(kTrainer, setting.key), given_twice(setting.mark, other->mark));
  }
}

}  // namespace

void into_sections(Value& root, const Block& schema, Findings& findings) {
  const Block& trainer = schema.find(kTrainer)->blocks.front();
  std::vector<Value::Entry> short_form;
  for (Value::Entry& entry : std::exchange(root.entries, {})) {
    if (const Field* field = schema.find(entry.key)) {
      const bool empty_section = field->kind == Field::Kind::section && entry.value.kind == Value::Kind::null;
      if (empty_section) entry.value.kind = Value::Kind::map;
      root.entries.push_back(std::move(entry));
    } else if (trainer.find(entry.key) != nullptr) {
      short_form.push_back(std::move(entry));
    } else if (entry.key == kVersion) {
      findings.warnings.push_back(fmt::format("{}: {}: not used", entry.mark.text(), entry.key));
    } else if (!entry.value.holds_anchor || find_old_name(entry.key) != nullptr) {
      root.entries.push_back(std::move(entry));  // unknown, and reported so later
    }
  }
  move_under_trainer(root, std::move(short_form), findings);
  rename_old(root, findings);
}

}  // namespace lightrun::config
