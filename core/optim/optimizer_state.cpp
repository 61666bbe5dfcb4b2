#include "optim/optimizer_state.hpp"

#include "optim/archive_state.hpp"
#include "optim/optimizer_fields.hpp"
#include "optim/torch_drift.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <deque>
#include <optional>

namespace lightrun::optim {
namespace {

constexpr const char* kKind = "kind";
constexpr const char* kOtherKind = "other";

std::string item_name(std::string_view list, std::size_t index) {
  return std::string(list) + "." + std::to_string(index);
}

/// Puts each field into a StateDict. A field that is not there yet is left out.
struct PutFields {
  StateDict& to;

  template <typename T>
  void operator()(const char* name, const T& value) const {
    to.set(name, value);
  }
  void operator()(const char* name, const torch::Tensor& tensor) const {
    if (tensor.defined()) to.set(name, tensor);
  }
  void operator()(const char* name, const std::tuple<double, double>& pair) const {
    to.set(name, std::vector<double>{std::get<0>(pair), std::get<1>(pair)});
  }
  template <typename T>
  void operator()(const char* name, const c10::optional<T>& value) const {
    if (value) (*this)(name, *value);
  }
  void operator()(const char* name, const std::deque<torch::Tensor>& list) const { put_list(name, list); }
  void operator()(const char* name, const std::vector<torch::Tensor>& list) const { put_list(name, list); }

 private:
  template <typename List>
  void put_list(const char* name, const List& list) const {
    to.set(name, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) (*this)(item_name(name, i).c_str(), list[i]);
  }
};

/// Takes each field out of a StateDict.
struct TakeFields {
  const StateDict& from;
  torch::Device device;

  template <typename T>
  void operator()(const char* name, T& value) const {
    value = from.get<T>(name);
  }
  void operator()(const char* name, torch::Tensor& tensor) const {
    tensor = from.contains(name) ? from.get<torch::Tensor>(name).to(device).clone() : torch::Tensor();
  }
  void operator()(const char* name, std::tuple<double, double>& pair) const {
    const auto& values = from.get<std::vector<double>>(name);
    if (values.size() != 2) throw RunError("an optimizer's " + std::string(name) + " must be two numbers");
    pair = {values[0], values[1]};
  }
  template <typename T>
  void operator()(const char* name, c10::optional<T>& value) const {
    value.reset();
    if (!from.contains(name)) return;
    value.emplace();
    (*this)(name, *value);
  }
  void operator()(const char* name, std::deque<torch::Tensor>& list) const { take_list(name, list); }
  void operator()(const char* name, std::vector<torch::Tensor>& list) const { take_list(name, list); }

 private:
  template <typename List>
  void take_list(const char* name, List& list) const {
    list.resize(static_cast<std::size_t>(std::max<int64_t>(from.get<int64_t>(name), 0)));
    for (std::size_t i = 0; i < list.size(); ++i) (*this)(item_name(name, i).c_str(), list[i]);
  }
};

StateDict options_of(torch::optim::OptimizerOptions& options) {
  StateDict values;
  const bool known =
      with_kind([&]<typename Kind>(const Kind&) { return typeid(options) == typeid(typename Kind::Options); },
                [&]<typename Kind>(const Kind& kind) {
                  values.set(kKind, std::string(kind.name));
                  for_each_field(static_cast<typename Kind::Options&>(options), PutFields{values});
                });
  if (known) return values;
  values.set(kKind, kOtherKind);
  values_of(options, "the options of an optimizer", values);
  return values;
}

StateDict state_of_parameter(torch::optim::OptimizerParamState& state, const std::string& name) {
  StateDict values;
  const bool known =
      with_kind([&]<typename Kind>(const Kind&) { return typeid(state) == typeid(typename Kind::State); },
                [&]<typename Kind>(const Kind& kind) {
                  values.set(kKind, std::string(kind.name));
                  for_each_field(static_cast<typename Kind::State&>(state), PutFields{values});
                });
  if (known) return values;
  values.set(kKind, kOtherKind);
  values_of(state, "the optimizer's state of " + name, values);
  return values;
}

/// The parameters' names group by group; `named` has them in that order.
std::vector<std::vector<std::string>> names_by_group(const torch::optim::Optimizer& optimizer,
                                                     const NamedTensors& named) {
  std::vector<std::vector<std::string>> names;
  auto next = named.begin();
  for (const auto& group : optimizer.param_groups()) {
    auto& here = names.emplace_back();
    for (std::size_t i = 0; i < group.params().size(); ++i) here.push_back((next++)->first);
  }
  return names;
}

void restore_options(torch::optim::OptimizerOptions& options, const StateDict& values) {
  const bool known = with_kind(
      [&]<typename Kind>(const Kind&) { return typeid(options) == typeid(typename Kind::Options); },
      [&]<typename Kind>(const Kind&) {
        for_each_field(static_cast<typename Kind::Options&>(options), TakeFields{values, torch::kCPU});
      });
  if (known) return;
  auto archive = archive_of(values);
  options.serialize(archive);
}

/// A new state object of a known kind; nothing where only its optimizer can make one.
std::unique_ptr<torch::optim::OptimizerParamState> made_from(const StateDict& values, torch::Device device) {
  std::unique_ptr<torch::optim::OptimizerParamState> made;
  const auto& name = values.get<std::string>(kKind);
  with_kind([&](const auto& kind) { return kind.name == name; },
            [&]<typename Kind>(const Kind&) {
              auto state = std::make_unique<typename Kind::State>();
              for_each_field(*state, TakeFields{values, device});
              made = std::move(state);
            });
  return made;
}

/// Makes the optimizer create what state it keeps of these parameters.
void try_a_step(torch::optim::Optimizer& optimizer, const std::vector<torch::Tensor>& parameters) {
  for (torch::Tensor parameter : parameters) parameter.mutable_grad() = torch::zeros_like(parameter);
  optimizer.step([] { return torch::zeros({}); });
  for (torch::Tensor parameter : parameters) parameter.mutable_grad().reset();
}

}  // namespace

OptimizerState state_of(torch::optim::Optimizer& optimizer, const NamedTensors& named) {
  OptimizerState state;
  auto names = names_by_group(optimizer, named);
  for (std::size_t i = 0; i < names.size(); ++i) {
    state.groups.push_back({std::move(names[i]), options_of(optimizer.param_groups()[i].options())});
  }
  for (const auto& [name, parameter] : named) {
    const auto found = optimizer.state().find(drift::optimizer_state_key(parameter));
    if (found != optimizer.state().end() && found->second) {
      state.parameters.emplace(name, state_of_parameter(*found->second, name));
    }
  }
  return state;
}

std::vector<std::string> differences(const OptimizerState& state, const torch::optim::Optimizer& optimizer,
                                     const NamedTensors& named) {
  std::vector<std::string> lines;
  const auto& groups = optimizer.param_groups();
  if (groups.size() != state.groups.size()) {
    return {std::to_string(state.groups.size()) + " parameter groups in the file, " +
            std::to_string(groups.size()) + " in this run"};
  }
  const auto names = names_by_group(optimizer, named);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto kind =
        options_of(const_cast<torch::optim::OptimizerOptions&>(groups[i].options())).get<std::string>(kKind);
    const auto& saved_kind = state.groups[i].options.get<std::string>(kKind);
    if (kind != saved_kind) lines.push_back(saved_kind + " in the file, " + kind + " in this run");
    auto here = names[i];
    auto there = state.groups[i].parameters;
    std::ranges::sort(here);
    std::ranges::sort(there);
    const std::string place = groups.size() > 1 ? "group " + std::to_string(i) + ": " : "";
    for (const auto& name : here) {
      if (!std::ranges::binary_search(there, name)) lines.push_back(place + name + " is not in the file");
    }
    for (const auto& name : there) {
      if (!std::ranges::binary_search(here, name)) lines.push_back(place + name + " is in the file only");
    }
  }
  return lines;
}

void restore(torch::optim::Optimizer& optimizer, const OptimizerState& state, const NamedTensors& named) {
  std::vector<torch::Tensor> unmade;
  for (const auto& [name, parameter] : named) {
    const auto key = drift::optimizer_state_key(parameter);
    const auto saved = state.parameters.find(name);
    if (saved == state.parameters.end()) {
      optimizer.state().erase(key);
    } else if (auto made = made_from(saved->second, parameter.device())) {
      optimizer.state()[key] = std::move(made);
    } else if (optimizer.state().find(key) == optimizer.state().end()) {
      unmade.push_back(parameter);
    }
  }
  if (!unmade.empty()) try_a_step(optimizer, unmade);
  for (const auto& [name, parameter] : named) {
    const auto saved = state.parameters.find(name);
    if (saved == state.parameters.end() || saved->second.get<std::string>(kKind) != kOtherKind) continue;
    const auto found = optimizer.state().find(drift::optimizer_state_key(parameter));
    if (found == optimizer.state().end())
      throw RunError("the optimizer's state of " + name + " in the file is of a kind that it does not keep");
    auto archive = archive_of(saved->second);
    found->second->serialize(archive);
  }
  auto& groups = optimizer.param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i)
    restore_options(groups[i].options(), state.groups[i].options);
}

}  // namespace lightrun::optim
