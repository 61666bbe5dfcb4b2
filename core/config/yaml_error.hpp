#pragma once

#include "config/source_text.hpp"
#include "config/value.hpp"
#include "config/yaml_builder.hpp"

#include <yaml-cpp/exceptions.h>

#include <optional>

namespace lightrun::config {

/// What yaml-cpp could not parse, in words for who wrote it, where it begins rather than where the parser
/// noticed.
[[nodiscard]] Problem explain(const YAML::Exception& error, const SourceText& source,
                              const YamlBuilder& builder);

/// A quote that is opened and never closed: yaml-cpp takes all the rest for the text and says nothing.
[[nodiscard]] std::optional<Problem> unclosed_quote(const SourceText& source, const YamlBuilder& builder);

}  // namespace lightrun::config
