#include "config/json_schema.hpp"

#include "config/deprecated.hpp"
#include "config/fields.hpp"
#include "config/yaml_writer.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

namespace lightrun::config {
namespace {

using Json = nlohmann::ordered_json;

/// `${env:NAME}`.
Json from_environment() {
  return {{"type", "string"}, {"pattern", R"(\$\{env:)"}};
}

std::string description(const std::string& help, const std::string& type, const std::string& range,
                        const std::string& default_value) {
  std::string text = help + ".";
  if (!type.empty()) text += "\n\n" + type + (range.empty() ? "" : ", " + range);
  if (!default_value.empty()) text += "\n\nDefault: " + default_value;
  return text;
}

Json object(Json properties, const std::vector<std::string>& required = {}) {
  Json json = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) json["required"] = required;
  return json;
}

Json schema_of(const Block& block);

/// One of several blocks: its name alone, or a map with a `type:`.
Json schema_of_types(const std::vector<Block>& types) {
  Json names = Json::array();
  Json all = Json::array();
  for (const Block& type : types) names.push_back(type.type);
  all.push_back({{"enum", std::move(names)}});
  for (const Block& type : types) all.push_back(schema_of(type));
  return {{"anyOf", std::move(all)}};
}

Json schema_of(const Field& field) {
  Json json;
  switch (field.kind) {
    case Field::Kind::leaf:
      json["anyOf"] = {Json::parse(field.schema), from_environment()};
      break;
    case Field::Kind::section:
      json = {{"anyOf", {schema_of(field.blocks.front()), {{"type", "null"}}}}};
      break;
    case Field::Kind::block:
      json = schema_of_types(field.blocks);
      json["anyOf"].push_back({{"type", "null"}});
      break;
    case Field::Kind::blocks:
      json = {{"type", "array"}, {"items", schema_of_types(field.blocks)}};
      break;
    case Field::Kind::free_map:
      json["type"] = {"object", "null"};
      break;
  }
  const bool is_leaf = field.kind == Field::Kind::leaf;
  json["description"] = description(field.help, is_leaf ? field.type : "", is_leaf ? field.range : "",
                                    is_leaf && !field.required ? print_flow(field.write()) : "");
  return json;
}

Json schema_of(const Block& block) {
  Json properties = Json::object();
  std::vector<std::string> required;
  if (!block.type.empty()) {
    properties[block.key] = {{"const", block.type}, {"description", block.help + "."}};
    if (block.implied_by.empty()) required.push_back(block.key);
  }
  for (const Field& field : block.fields) {
    properties[field.name] = schema_of(field);
    // A section may be spread over several files.
    if (field.required && !block.type.empty()) required.push_back(field.name);
  }
  for (const OldSetting& old : old_settings()) {
    if (old.type != block.type) continue;
    properties[old.name] = {{"deprecated", true}, {"description", old.warning() + "."}};
  }
  return object(std::move(properties), required);
}

Json value_json(const ParamValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json parameter_type(const ParamDecl& declared) {
  const auto bounds = [&](Json json) {
    if (std::isfinite(declared.min)) json["minimum"] = declared.min;
    if (std::isfinite(declared.max)) json["maximum"] = declared.max;
    return json;
  };
  const auto one = [&](const auto& value) -> Json {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, bool>) return {{"type", "boolean"}};
    if constexpr (std::is_same_v<T, int64_t>) return bounds({{"type", "integer"}});
    if constexpr (std::is_same_v<T, double>) return bounds({{"type", "number"}});
    if (!declared.choices.empty()) return {{"enum", declared.choices}};
    return {{"type", {"string", "number", "boolean"}}};
  };
  return std::visit(
      [&](const auto& value) -> Json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool> || std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
          return one(value);
        else
          return {{"type", "array"}, {"items", one(typename T::value_type())}};
      },
      declared.default_value);
}

/// Where the setting `key` names this offer, `params` are its parameters.
Json condition(const char* key, const OfferParams& offer) {
  Json properties = Json::object();
  for (const ParamDecl& declared : offer.parameters) {
    properties[declared.name] = {{"anyOf", {parameter_type(declared), from_environment()}},
                                 {"description", declared.help + "."},
                                 {"default", value_json(declared.default_value)}};
  }
  const Json params = {{"anyOf", {object(std::move(properties)), {{"type", "null"}}}},
                       {"description", offer.help + "."}};
  return {{"if", {{"properties", {{key, {{"const", offer.name}}}}}, {"required", {key}}}},
          {"then", {{"properties", {{"params", params}}}}}};
}

/// Adds what the setting `key` of `section` may name.
void add_offers(Json& section, const char* key, const std::vector<OfferParams>& offers) {
  Json names = Json::array();
  for (const OfferParams& each : offers) {
    names.push_back(each.name);
    section["allOf"].push_back(condition(key, each));
  }
  if (names.empty()) return;
  // Another plugin, or the path of one, is as good.
  Json& kinds = section["properties"][key]["anyOf"];
  const Json known = {{"enum", std::move(names)}};
  kinds.insert(kinds.begin(), known);
}

/// The same for the type of a block that stands for what a plugin offers.
void add_offers_to_block(Json& types, const std::vector<OfferParams>& offers) {
  for (Json& type : types["anyOf"]) {
    if (!type.contains("properties")) continue;
    const Json& properties = type["properties"];
    for (const char* key : {"type", "source"}) {
      if (properties.contains(key) && properties[key].value("const", "") == "plugin")
        return add_offers(type, "name", offers);
    }
  }
}

/// Old names stand at the top level and under `trainer`.
void add_old_names(Json& properties) {
  for (const OldName& old : old_names()) {
    if (!old.is_refused())
      properties[old.name] = {{"deprecated", true}, {"description", old.warning() + "."}};
  }
}

}  // namespace

std::string json_schema(const PluginParams& plugins) {
  RunSpec spec;
  Json json = schema_of(describe(spec));
  Json& properties = json["properties"];
  const Json trainer = properties["trainer"]["anyOf"][0]["properties"];
  for (const auto& [name, setting] : trainer.items()) properties[name] = setting;
  add_old_names(properties);
  add_old_names(properties["trainer"]["anyOf"][0]["properties"]);
  add_offers(properties["model"]["anyOf"][0], "plugin", plugins.models);
  Json& data = properties["data"]["anyOf"][0]["properties"];
  for (const char* part : {"train", "val", "test", "predict"})
    add_offers_to_block(data[part], plugins.sources);
  add_offers_to_block(properties["callbacks"]["items"], plugins.callbacks);
  Json whole = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "A run of lightrun"}};
  whole.update(json);
  return whole.dump(2) + '\n';
}

}  // namespace lightrun::config
