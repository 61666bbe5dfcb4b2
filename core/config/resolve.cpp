#include "config/resolve.hpp"

#include "config/block.hpp"
#include "config/checks.hpp"
#include "config/command_line.hpp"
#include "config/fields.hpp"
#include "config/merge.hpp"
#include "config/overrides.hpp"
#include "config/problems.hpp"
#include "config/short_form.hpp"
#include "config/yaml_reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace lightrun::config {

namespace {

/// All files in one tree. What cannot be read at all is thrown at once: the rest would be about a wrong tree.
Value read_files(const std::vector<std::string>& files, const Block& schema, Findings& findings) {
  Value root = Value::map();
  bool complete = true;
  for (const std::string& file : files) {
    auto value = read_yaml_file(file, findings.problems);
    complete = complete && value.has_value();
    if (!value) continue;
    into_sections(*value, schema, findings);
    merge_settings(root, std::move(*value), schema);
  }
  if (!complete) throw_if_any(findings.problems, files);
  return root;
}

std::string default_name(const std::vector<std::string>& files) {
  return files.empty() ? "run" : std::filesystem::path(files.front()).stem().string();
}

void report_unexpected(const std::vector<std::string>& words, const OwnFlags& own, Findings& findings) {
  for (const std::string& word : words) {
    const bool is_flag = word.starts_with('-');
    // The mark makes it a usage error; the text says all.
    findings.report({"--", 0, 0}, "",
                    is_flag ? no_such_option(own, word, " (settings are --name value)")
                            : fmt::format("unexpected argument '{}' (settings are --name value)", word));
  }
}

Resolved resolve_parts(const std::vector<std::string>& files, std::vector<Flag> flags,
                       const std::vector<std::string>& unexpected, const OwnFlags& own) {
  Resolved resolved;
  RunSpec& spec = resolved.spec;
  const Block schema = describe(spec);
  Findings findings;
  report_unexpected(unexpected, own, findings);
  Value root = read_files(files, schema, findings);
  apply_flags(root, schema, std::move(flags), own, findings);

  const Mark start = files.empty() ? Mark{} : Mark{files.front(), 1, 1};
  read_section(root, {"", start}, schema, findings);
  take_up_accumulation(spec, findings);
  check_together(spec, findings);
  if (spec.run.name.empty()) spec.run.name = default_name(files);
  spec.origins = std::move(findings.origins);
  resolved.warnings = std::move(findings.warnings);
  resolved.problems = std::move(findings.problems);
  resolved.files = files;
  return resolved;
}

Resolved if_right(Resolved resolved) {
  throw_if_any(resolved.problems, resolved.files);
  return resolved;
}

}  // namespace

Resolved examine(const std::vector<std::string>& words, const OwnFlags& own) {
  CommandLine line = read_command_line(words);
  return resolve_parts(line.files, std::move(line.flags), line.unexpected, own);
}

Resolved resolve(const std::vector<std::string>& files, const std::vector<std::string>& flags,
                 const OwnFlags& own) {
  CommandLine line = read_command_line(flags);
  line.unexpected.insert(line.unexpected.begin(), line.files.begin(), line.files.end());
  return if_right(resolve_parts(files, std::move(line.flags), line.unexpected, own));
}

Resolved resolve_words(const std::vector<std::string>& words, const OwnFlags& own) {
  return if_right(examine(words, own));
}

}  // namespace lightrun::config
