#include "engine/plugin_commands.hpp"

#include "config/json_schema.hpp"
#include "config/scalar.hpp"
#include "plugin/catalog.hpp"
#include "plugin/kinds.hpp"
#include "plugin/load.hpp"
#include "support/line_printer.hpp"
#include "support/table.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <variant>

namespace lightrun::engine {
namespace {

std::string scalar_text(bool value) {
  return value ? "true" : "false";
}
std::string scalar_text(int64_t value) {
  return std::to_string(value);
}
std::string scalar_text(double value) {
  return config::print_double(value);
}
std::string scalar_text(const std::string& value) {
  return value.empty() ? "''" : value;
}
template <typename T>
std::string scalar_text(const std::vector<T>& values) {
  std::vector<std::string> texts;
  for (const T& each : values) texts.push_back(scalar_text(each));
  return '[' + support::join(texts) + ']';
}

std::string range_text(const ParamDecl& declared) {
  if (!declared.choices.empty()) return support::either(declared.choices);
  const bool low = std::isfinite(declared.min);
  const bool high = std::isfinite(declared.max);
  if (low && high) return fmt::format("{:g} to {:g}", declared.min, declared.max);
  if (low) return fmt::format("at least {:g}", declared.min);
  return high ? fmt::format("at most {:g}", declared.max) : "";
}

/// What is declared of an offer, or why it cannot be used.
struct Declared {
  ParamDecls parameters = {};
  std::string why_not = {};
};

Declared declared_by(const plugin::FoundOffer& found) {
  const std::string& name = found.offer.name;
  try {
    switch (found.offer.kind) {
      case PluginKind::source:
        return {.parameters = plugin::load_source(found.path, name, {}).parameters};
      case PluginKind::callback:
        return {.parameters = plugin::load_callback(found.path, name, {}).parameters};
      default:
        return {.parameters = plugin::load_model(found.path, name, {}).parameters};
    }
  } catch (const PluginError& error) {
    return {.why_not = error.what()};
  }
}

void print_offer(const plugin::FoundOffer& found, support::LinePrinter& printer) {
  printer.line("");
  printer.line(
      fmt::format("{} {}  {}", plugin::words_of(found.offer.kind).one, found.offer.name, found.offer.help));
  printer.line("  " + found.path);
  const Declared declared = declared_by(found);
  if (!declared.why_not.empty()) {
    printer.line("  cannot be used: " + declared.why_not);
    return;
  }
  if (declared.parameters.empty()) {
    printer.line("  no parameters");
    return;
  }
  support::Table table({{"parameter"}, {"default", support::Table::Align::right}, {"range"}, {"meaning"}});
  for (const ParamDecl& each : declared.parameters) {
    const auto value = std::visit([](const auto& held) { return scalar_text(held); }, each.default_value);
    table.add_row({each.name, value, range_text(each), each.help});
  }
  for (const std::string& line : table.lines()) printer.line("  " + line);
}

void print_folders(const std::vector<std::string>& folders, support::LinePrinter& printer) {
  printer.line("Plugins are looked for in");
  for (const std::string& folder : folders) {
    const auto count = plugin::libraries_in(folder).size();
    printer.line(fmt::format("  {}{}", folder, count == 0 ? "  (none there)" : ""));
  }
}

void print_refused(const std::vector<plugin::PluginFile>& refused, support::LinePrinter& printer) {
  if (refused.empty()) return;
  printer.line("");
  printer.line("Cannot be used");
  for (const plugin::PluginFile& file : refused) printer.line("  " + file.refusal());
}

}  // namespace
}  // namespace lightrun::engine

int lightrun_plugins(const lightrun::engine::PluginsRequest& request) {
  using namespace lightrun;
  support::LinePrinter printer(STDOUT_FILENO, support::look_at_terminal(STDOUT_FILENO));
  const auto folders = plugin::search_path(request.plugin_dirs);
  plugin::Catalog catalog = plugin::find_plugins(folders);
  if (!request.name.empty()) {
    std::vector<std::string> names;
    for (const auto& each : catalog.offers) names.push_back(each.offer.name);
    std::erase_if(catalog.offers, [&](const auto& each) { return each.offer.name != request.name; });
    if (catalog.offers.empty()) {
      const auto close = support::did_you_mean(request.name, names);
      throw PluginError("there is no model, source or callback '" + request.name + "'" +
                        (close ? " (did you mean " + *close + "?)" : "; lightrun plugins lists them"));
    }
  } else {
    engine::print_folders(folders, printer);
  }
  std::ranges::stable_sort(catalog.offers, {}, [](const auto& each) { return each.offer.kind; });
  for (const auto& found : catalog.offers) engine::print_offer(found, printer);
  if (request.name.empty()) engine::print_refused(catalog.refused, printer);
  return 0;
}

int lightrun_schema(const lightrun::engine::PluginsRequest& request) {
  using namespace lightrun;
  config::PluginParams params;
  for (const auto& found : plugin::find_plugins(plugin::search_path(request.plugin_dirs)).offers) {
    engine::Declared declared = engine::declared_by(found);
    if (!declared.why_not.empty()) {
      std::cerr << "warning: " << declared.why_not << '\n';
      continue;
    }
    auto& all = found.offer.kind == PluginKind::model    ? params.models
                : found.offer.kind == PluginKind::source ? params.sources
                                                         : params.callbacks;
    all.push_back({found.offer.name, found.offer.help, std::move(declared.parameters)});
  }
  std::cout << config::json_schema(params);
  return 0;
}
