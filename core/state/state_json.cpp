#include "state/state_json.hpp"

namespace lightrun::state {
namespace {

// What JSON cannot tell apart has an object around it that says what it is.
constexpr const char* kTensor = "tensor";
constexpr const char* kNumber = "number";
constexpr const char* kIntegers = "integers";
constexpr const char* kNumbers = "numbers";
constexpr const char* kTexts = "texts";

struct ValueJson {
  const std::string& tensor_name;
  std::vector<std::pair<std::string, torch::Tensor>>& tensors;

  Json operator()(bool value) const { return value; }
  Json operator()(int64_t value) const { return value; }
  Json operator()(double value) const {
    const Json json = detail::number_json(value);
    return json.is_number() ? json : Json{{kNumber, json}};
  }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const std::vector<int64_t>& list) const { return {{kIntegers, to_json(list)}}; }
  Json operator()(const std::vector<double>& list) const { return {{kNumbers, to_json(list)}}; }
  Json operator()(const std::vector<std::string>& list) const { return {{kTexts, to_json(list)}}; }
  Json operator()(const torch::Tensor& tensor) const {
    if (!tensor.defined()) return {{kTensor, nullptr}};
    tensors.emplace_back(tensor_name, tensor);
    return {{kTensor, tensor_name}};
  }
};

template <typename T>
StateDict::Value read_as(const Json& json) {
  T value{};
  from_json(json, value);
  return value;
}

torch::Tensor tensor_called(const Json& name, const Tensors& tensors) {
  if (name.is_null()) return {};
  const auto found = name.is_string() ? tensors.find(name.get<std::string>()) : tensors.end();
  if (found == tensors.end()) throw WrongJson("tensor " + name.dump() + " is not in the file");
  return found->second;
}

StateDict::Value value_of(const Json& json, const Tensors& tensors) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object() && json.size() == 1) {
    const std::string& kind = json.begin().key();
    const Json& inside = json.begin().value();
    if (kind == kTensor) return tensor_called(inside, tensors);
    if (kind == kNumber) return read_as<double>(inside);
    if (kind == kIntegers) return read_as<std::vector<int64_t>>(inside);
    if (kind == kNumbers) return read_as<std::vector<double>>(inside);
    if (kind == kTexts) return read_as<std::vector<std::string>>(inside);
  }
  throw WrongJson("it is no value");
}

}  // namespace

Json to_json(const StateDict& values, const std::string& prefix,
             std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  Json object = Json::object();
  for (const auto& [name, value] : values.values()) {
    const std::string tensor_name = prefix + name;
    object[name] = std::visit(ValueJson{tensor_name, tensors}, value);
  }
  return object;
}

StateDict state_dict_of(const Json& json, const Tensors& tensors) {
  if (!json.is_object()) throw WrongJson("it is not an object");
  StateDict values;
  for (const auto& [name, value] : json.items()) {
    try {
      values.set(name, value_of(value, tensors));
    } catch (const WrongJson& error) {
      throw WrongJson(name + ": " + error.what());
    }
  }
  return values;
}

}  // namespace lightrun::state
