#include "config/deprecated.hpp"

#include "config/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lightrun::config {

namespace {

constexpr std::string_view kTrainer = "trainer";
constexpr std::string_view kCallbacks = "callbacks";

/// The entry that a file has at the path "trainer.max_epochs" or "loggers"; nullptr if it has none.
Value::Entry* entry_at(Value& root, std::string_view path) {
  const auto dot = path.find('.');
  Value::Entry* first = root.find_entry(path.substr(0, dot));
  if (first == nullptr || dot == std::string_view::npos) return first;
  return first->value.find_entry(path.substr(dot + 1));
}

/// Sets what is not there yet. A section that is no map is wrong itself, and reported so later.
void add_at(Value& root, std::string_view path, const Mark& mark, Value value) {
  const auto dot = path.find('.');
  const std::string first(path.substr(0, dot));
  if (dot == std::string_view::npos) {
    root.add(first, mark, std::move(value));
    return;
  }
  Value& section = entry_of(root, first, mark).value;
  if (section.kind == Value::Kind::null) section.kind = Value::Kind::map;
  if (section.kind == Value::Kind::map)
    section.add(std::string(path.substr(dot + 1)), mark, std::move(value));
}

std::string callback_type(const Value& block) {
  const Value* type = block.kind == Value::Kind::map ? block.find("type") : &block;
  return type == nullptr ? "" : type->text;
}

/// One more entry of a list, unless there is one of its type.
void append_to(Value& root, const OldName& old, const Mark& mark, Value value, Findings& findings) {
  Value& list = entry_of(root, old.now, mark).value;
  if (list.kind == Value::Kind::null) list = Value::list({});
  for (const Value& item : list.items) {
    if (callback_type(item) != value.text) continue;
    findings.report(mark, "",
                    fmt::format("{} adds an {}, but {} has one, on line {}: keep that one", old.name,
                                value.text, old.now, item.mark.line));
    return;
  }
  if (list.kind == Value::Kind::list) list.items.push_back(std::move(value));
}

void rename(Value& root, const OldName& old, const Value::Entry& entry, Findings& findings) {
  if (old.is_refused()) {
    findings.report(entry.mark, entry.key, old.note);
    return;
  }
  const auto report = [&](const Mark& mark, std::string text) {
    findings.report(mark, old.name, std::move(text));
  };
  findings.warnings.push_back(fmt::format("{}: {}", entry.mark.text(), old.warning()));
  const auto value = old.convert ? old.convert(entry.value, report) : std::optional(entry.value);
  if (!old.appends) {
    if (const Value::Entry* other = entry_at(root, old.now)) {
      findings.report(entry.mark, "",
                      fmt::format("{} is now called {}, which is given on line {}, too: keep that one",
                                  old.name, old.now, other->mark.line));
      return;
    }
  }
  if (!value) return;
  if (old.appends) return append_to(root, old, entry.mark, *value, findings);
  add_at(root, old.now, entry.mark, *value);
}

std::vector<Value::Entry> take_old(Value& map) {
  std::vector<Value::Entry> old;
  if (map.kind != Value::Kind::map) return old;
  for (Value::Entry& entry : std::exchange(map.entries, {})) {
    (find_old_name(entry.key) != nullptr ? old : map.entries).push_back(std::move(entry));
  }
  return old;
}

void rename_in_callback(Value& callback, const OldSetting& old, const std::string& path, Findings& findings) {
  Value::Entry* entry = callback.find_entry(old.name);
  if (entry == nullptr || callback_type(callback) != old.type) return;
  if (callback.find(old.now) != nullptr) {
    findings.report(entry->mark, dotted(path, old.name),
                    fmt::format("is now called {}, which is given, too: keep that one", old.now));
  } else {
    findings.warnings.push_back(fmt::format("{}: {}", entry->mark.text(), old.warning()));
  }
  entry->key = old.now;
}

}  // namespace

std::string OldName::warning(std::string_view dashes) const {
  std::string text = fmt::format("{0}{1} is now called {0}{2}", dashes, name, now);
  if (appends) text = fmt::format("{}{} is now an entry of {}", dashes, name, now);
  return note.empty() ? text : fmt::format("{} ({})", text, note);
}

const OldName* find_old_name(std::string_view name) {
  const auto& all = old_names();
  const auto at = std::ranges::find(all, name, &OldName::name);
  return at == all.end() ? nullptr : &*at;
}

const OldName* find_old_name(const std::vector<std::string>& path) {
  const bool is_trainer = path.size() == 2 && path[0] == kTrainer;
  return path.size() == 1 || is_trainer ? find_old_name(path.back()) : nullptr;
}

std::string OldSetting::warning() const {
  return fmt::format("{} of {} is now called {}", name, type, now);
}

const OldSetting* find_old_setting(const std::vector<std::string>& path) {
  if (path.size() != 3 || path[0] != kCallbacks) return nullptr;
  const auto& all = old_settings();
  const auto at = std::ranges::find(all, path[2], &OldSetting::name);
  return at == all.end() ? nullptr : &*at;
}

void rename_old_settings(Value& root, Findings& findings) {
  Value::Entry* callbacks = root.find_entry(kCallbacks);
  if (callbacks == nullptr) return;
  std::vector<Value>& items = callbacks->value.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const OldSetting& old : old_settings()) {
      rename_in_callback(items[i], old, fmt::format("{}.{}", kCallbacks, i), findings);
    }
  }
}

void rename_old(Value& root, Findings& findings) {
  std::vector<Value::Entry> old = take_old(root);
  if (Value::Entry* trainer = root.find_entry(kTrainer)) {
    for (Value::Entry& entry : take_old(trainer->value)) old.push_back(std::move(entry));
  }
  for (const Value::Entry& entry : old) rename(root, *find_old_name(entry.key), entry, findings);
  rename_old_settings(root, findings);
}

}  // namespace lightrun::config
