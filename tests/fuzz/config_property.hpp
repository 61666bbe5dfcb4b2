#pragma once

#include "config/block.hpp"
#include "config/checks.hpp"
#include "config/dump.hpp"
#include "config/fields.hpp"
#include "config/short_form.hpp"
#include "config/yaml_reader.hpp"
#include "config/yaml_writer.hpp"
#include "fuzz/require.hpp"
#include "support/text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// What has to hold for every config, whatever it is. Nothing may be thrown.
namespace lightrun::fuzz {

inline void check_problems(const config::Findings& findings) {
  for (const config::Problem& problem : findings.problems) {
    const std::string text = problem.message();
    require(!text.empty() && !support::invalid_utf8(text), "a problem is a text in UTF-8");
    require(problem.mark.line >= 0 && problem.mark.column >= 0, "a problem has a place");
  }
}

/// The spec's dump where the text is a config without a problem.
inline std::optional<std::string> dump_of(std::string_view text) {
  config::RunSpec spec;
  const config::Block schema = config::describe(spec);
  config::Findings findings;
  auto value = config::read_yaml(text, "fuzz.yaml", findings.problems);
  if (value && value->kind == config::Value::Kind::map) {
    config::into_sections(*value, schema, findings);
    config::read_section(*value, {"", {"fuzz.yaml", 1, 1}}, schema, findings);
    config::check_together(spec, findings);
  }
  check_problems(findings);
  const bool is_right = value && value->kind == config::Value::Kind::map && findings.problems.empty();
  return is_right ? std::optional(config::dump(spec)) : std::nullopt;
}

/// A config that is taken dumps to one that is taken, and dumps to the same bytes.
inline void check_config(std::string_view text) {
  const auto dump = dump_of(text);
  if (!dump) return;
  const auto again = dump_of(*dump);
  require(again.has_value(), "a dump is a config");
  require(*again == *dump, "a dump dumps to itself");
}

}  // namespace lightrun::fuzz
