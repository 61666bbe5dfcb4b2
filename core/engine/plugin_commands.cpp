#include "engine/plugin_commands.hpp"

#include "config/json_schema.hpp"
#include "config/scalar.hpp"
#include "plugin/catalog.hpp"
#include "plugin/load.hpp"
#include "support/line_printer.hpp"
#include "support/table.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <cmath>
#include <iostream>
#include <optional>
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

std::optional<plugin::LoadedModel> load(const plugin::FoundModel& found, std::string& why_not) {
  try {
    return plugin::load_model(found.path, found.name, {});
  } catch (const PluginError& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

void print_model(const plugin::FoundModel& found, support::LinePrinter& printer) {
  printer.line("");
  printer.line(fmt::format("{}  {}", found.name, found.help));
  printer.line("  " + found.path);
  std::string why_not;
  const auto model = load(found, why_not);
  if (!model) {
    printer.line("  cannot be used: " + why_not);
    return;
  }
  support::Table table({{"parameter"}, {"default", support::Table::Align::right}, {"range"}, {"meaning"}});
  for (const ParamDecl& each : model->parameters) {
    const auto value = std::visit([](const auto& held) { return scalar_text(held); }, each.default_value);
    table.add_row({each.name, value, range_text(each), each.help});
  }
  if (model->parameters.empty()) printer.line("  no parameters");
  for (const std::string& line : model->parameters.empty() ? std::vector<std::string>() : table.lines())
    printer.line("  " + line);
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
  plugin::Catalog catalog = plugin::find_models(folders);
  if (!request.name.empty()) {
    std::vector<std::string> names;
    for (const auto& each : catalog.models) names.push_back(each.name);
    std::erase_if(catalog.models, [&](const auto& each) { return each.name != request.name; });
    if (catalog.models.empty()) {
      const auto close = support::did_you_mean(request.name, names);
      throw PluginError("there is no model '" + request.name + "'" +
                        (close ? " (did you mean " + *close + "?)" : "; lightrun plugins lists them"));
    }
  } else {
    engine::print_folders(folders, printer);
  }
  for (const auto& found : catalog.models) engine::print_model(found, printer);
  if (request.name.empty()) engine::print_refused(catalog.refused, printer);
  return 0;
}

int lightrun_schema(const lightrun::engine::PluginsRequest& request) {
  using namespace lightrun;
  std::vector<config::ModelParams> models;
  for (const auto& found : plugin::find_models(plugin::search_path(request.plugin_dirs)).models) {
    std::string why_not;
    if (const auto model = engine::load(found, why_not))
      models.push_back({model->name, model->help, model->parameters});
    else
      std::cerr << "warning: " << why_not << '\n';
  }
  std::cout << config::json_schema(models);
  return 0;
}
