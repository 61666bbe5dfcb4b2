#include "state/checkpoint.hpp"

#include "state/python_weights.hpp"
#include "state/safetensors.hpp"
#include "state/state_json.hpp"
#include "support/atomic_file.hpp"

#include <lightrun/error.hpp>

#include <string_view>
#include <unordered_map>

namespace lightrun::state {
namespace {

constexpr const char* kFormatVersion = "1";
constexpr std::string_view kOwnTensor = "lightrun:";

/// A tensor that the model holds under several names is written once.
void add_weights(const NamedTensors& weights, NamedTensors& tensors, Texts& aliases) {
  std::unordered_map<const void*, std::string> first_names;
  for (const auto& [name, tensor] : weights) {
    if (name.starts_with(kOwnTensor))
      throw RunError("the model's tensor '" + name + "' is called like one of lightrun's own");
    const auto [known, is_new] = first_names.emplace(tensor.unsafeGetTensorImpl(), name);
    if (is_new) {
      tensors.emplace_back(name, tensor);
    } else {
      aliases.emplace(name, known->second);
    }
  }
}

Json optimizer_json(const optim::OptimizerState& state, const std::string& prefix, NamedTensors& tensors) {
  Json groups = Json::array();
  for (const auto& group : state.groups) {
    groups.push_back(
        {{"parameters", group.parameters}, {"options", to_json(group.options, prefix, tensors)}});
  }
  Json parameters = Json::object();
  for (const auto& [name, values] : state.parameters)
    parameters[name] = to_json(values, prefix + name + "/", tensors);
  return {{"groups", std::move(groups)}, {"state", std::move(parameters)}};
}

optim::OptimizerState optimizer_of(const Json& json, const Tensors& tensors) {
  optim::OptimizerState state;
  for (const Json& group : json.at("groups")) {
    state.groups.push_back({group.at("parameters").get<std::vector<std::string>>(),
                            state_dict_of(group.at("options"), tensors)});
  }
  for (const auto& [name, values] : json.at("state").items())
    state.parameters.emplace(name, state_dict_of(values, tensors));
  return state;
}

/// Several things of one kind, each with its tensors under a number of its own.
template <typename List, typename ToJson>
Json list_json(const List& list, const std::string& prefix, ToJson&& to_json_of) {
  Json json = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i)
    json.push_back(to_json_of(list[i], prefix + std::to_string(i) + "/"));
  return json;
}

/// The metadata of a file that must be a checkpoint.
class Metadata {
 public:
  Metadata(const std::filesystem::path& path, const Texts& texts) : path_(path), texts_(texts) {
    const auto format = texts.find("lightrun.format");
    if (format == texts.end()) {
      throw RunError(
          path.string() +
          ": is no checkpoint of lightrun, only weights: --weights-only starts a new run from them");
    }
    if (format->second != kFormatVersion) {
      throw RunError(path.string() + ": is of format " + format->second +
                     ", which this lightrun does not know (" + kFormatVersion + ")");
    }
  }

  [[nodiscard]] const std::string& text(const std::string& key) const {
    const auto found = texts_.find("lightrun." + key);
    if (found == texts_.end()) throw RunError(path_.string() + ": is damaged: it has no " + key);
    return found->second;
  }

  [[nodiscard]] bool contains(const std::string& key) const { return texts_.contains("lightrun." + key); }

  /// Calls `read` with the JSON under `key`; what is wrong with that names the file and the key.
  template <typename Read>
  void read(const std::string& key, Read&& read) const {
    try {
      read(Json::parse(text(key)));
    } catch (const std::runtime_error& error) {
      rethrow(key, error);
    } catch (const Json::exception& error) {
      rethrow(key, error);
    }
  }

 private:
  [[noreturn]] void rethrow(const std::string& key, const std::exception& error) const {
    if (dynamic_cast<const RunError*>(&error)) throw;
    throw RunError(path_.string() + ": is damaged: " + key + ": " + error.what());
  }

  const std::filesystem::path& path_;
  const Texts& texts_;
};

bool is_own(const std::string& name) {
  return name.starts_with(kOwnTensor);
}

/// The weights, with each alias standing for its tensor.
NamedTensors weights_in(const Metadata& metadata, const Tensors& tensors) {
  NamedTensors weights;
  for (const auto& [name, tensor] : tensors) {
    if (!is_own(name)) weights.emplace_back(name, tensor);
  }
  metadata.read("aliases", [&](const Json& json) {
    for (const auto& [alias, name] : json.items()) {
      const auto found = tensors.find(name.get<std::string>());
      if (found == tensors.end()) throw WrongJson(alias + " stands for a tensor that is not in the file");
      weights.emplace_back(alias, found->second);
    }
  });
  return weights;
}

/// Files of the first lightrun have none.
StateDict data_in(const Metadata& metadata, const Tensors& tensors) {
  StateDict data;
  if (!metadata.contains("data")) return data;
  metadata.read("data", [&](const Json& json) { data = state_dict_of(json, tensors); });
  return data;
}

}  // namespace

CheckpointFile encode(const Checkpoint& checkpoint) {
  CheckpointFile file;
  NamedTensors& tensors = file.tensors;
  Texts aliases;
  add_weights(checkpoint.weights, tensors, aliases);
  const std::string own(kOwnTensor);
  const auto states = [&](const StateDict& values, const std::string& prefix) {
    return to_json(values, prefix, tensors);
  };
  const auto optimizers = [&](const optim::OptimizerState& state, const std::string& prefix) {
    return optimizer_json(state, prefix, tensors);
  };
  const auto callbacks = [&](const auto& callback, const std::string& prefix) -> Json {
    return {{"key", callback.first}, {"state", states(callback.second, prefix)}};
  };
  const auto put = [&](const std::string& key, const Json& json) {
    file.metadata.emplace("lightrun." + key, json.dump());
  };
  put("run_state", to_json(checkpoint.run));
  put("optimizers", list_json(checkpoint.optimizers, own + "optimizer/", optimizers));
  put("gradients", states(checkpoint.gradients, own + "gradient/"));
  put("own_gradients", list_json(checkpoint.own_gradients, own + "own_gradient/", states));
  put("outsiders", states(checkpoint.outsiders, own + "outsider/"));
  put("callbacks", list_json(checkpoint.callbacks, own + "callback/", callbacks));
  put("module", states(checkpoint.module, own + "module/"));
  put("data", states(checkpoint.data, own + "data/"));
  put("loggers", checkpoint.loggers);
  put("generators", states(checkpoint.generators, own + "generator/"));
  put("frozen", checkpoint.frozen);
  put("in_eval", checkpoint.in_eval);
  put("environment", checkpoint.environment);
  put("aliases", aliases);
  file.metadata.emplace("lightrun.format", kFormatVersion);
  file.metadata.emplace("lightrun.run_id", checkpoint.run_id);
  file.metadata.emplace("lightrun.model", checkpoint.model);
  file.metadata.emplace("lightrun.config", checkpoint.config);
  return file;
}

void write_checkpoint(const std::filesystem::path& path, const CheckpointFile& file) {
  support::write_file_atomically(path, [&](std::ostream& out) {
    write_safetensors(out, file.tensors, file.metadata, Checksum::crc32c);
  });
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const SafetensorsFile file = read_safetensors(path);
  const Metadata metadata(path, file.metadata);
  const Tensors& tensors = file.tensors;
  Checkpoint checkpoint;
  checkpoint.weights = weights_in(metadata, tensors);
  metadata.read("run_state", [&](const Json& json) { from_json(json, checkpoint.run); });
  metadata.read("optimizers", [&](const Json& json) {
    for (const Json& each : json) checkpoint.optimizers.push_back(optimizer_of(each, tensors));
  });
  metadata.read("gradients", [&](const Json& json) { checkpoint.gradients = state_dict_of(json, tensors); });
  metadata.read("own_gradients", [&](const Json& json) {
    for (const Json& each : json) checkpoint.own_gradients.push_back(state_dict_of(each, tensors));
  });
  metadata.read("callbacks", [&](const Json& json) {
    for (const Json& each : json) {
      checkpoint.callbacks.emplace_back(each.at("key").get<std::string>(),
                                        state_dict_of(each.at("state"), tensors));
    }
  });
  metadata.read("outsiders", [&](const Json& json) { checkpoint.outsiders = state_dict_of(json, tensors); });
  metadata.read("module", [&](const Json& json) { checkpoint.module = state_dict_of(json, tensors); });
  metadata.read("generators",
                [&](const Json& json) { checkpoint.generators = state_dict_of(json, tensors); });
  metadata.read("loggers", [&](const Json& json) { json.get_to(checkpoint.loggers); });
  metadata.read("frozen", [&](const Json& json) { json.get_to(checkpoint.frozen); });
  metadata.read("in_eval", [&](const Json& json) { json.get_to(checkpoint.in_eval); });
  metadata.read("environment", [&](const Json& json) { json.get_to(checkpoint.environment); });
  checkpoint.data = data_in(metadata, tensors);
  checkpoint.run_id = metadata.text("run_id");
  checkpoint.model = metadata.text("model");
  checkpoint.config = metadata.text("config");
  return checkpoint;
}

NamedTensors weights_in_checkpoint(const std::filesystem::path& path, const SafetensorsFile& file) {
  return weights_in(Metadata(path, file.metadata), file.tensors);
}

StateDict read_learned_data(const std::filesystem::path& path) {
  if (is_zip_file(path) || is_old_python_file(path)) return {};
  const SafetensorsHeader header = read_safetensors_header(path);
  const auto data = header.metadata.find("lightrun.data");
  if (data == header.metadata.end() || Json::parse(data->second, nullptr, false).empty()) return {};
  const SafetensorsFile file = read_safetensors(path);
  return data_in(Metadata(path, file.metadata), file.tensors);
}

CheckpointHead read_checkpoint_head(const std::filesystem::path& path) {
  const SafetensorsHeader header = read_safetensors_header(path);
  const Metadata metadata(path, header.metadata);
  CheckpointHead head{.run_id = metadata.text("run_id")};
  metadata.read("run_state", [&](const Json& json) { from_json(json, head.run); });
  return head;
}

}  // namespace lightrun::state
