#include "optim/flat_parameters.hpp"

#include "optim/optimizer_fields.hpp"
#include "optim/torch_drift.hpp"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace lightrun::optim {
namespace {

using State = torch::optim::OptimizerParamState;
using Tensors = std::vector<torch::Tensor>;

/// Entries; each parameter begins at a multiple. LibTorch's loops take this many at once at most, so that no
/// entry is treated otherwise than it would be in another row.
constexpr int64_t kAlignment = 64;

int64_t aligned(int64_t entries) {
  return (entries + kAlignment - 1) / kAlignment * kAlignment;
}

template <typename Function>
void with_fields(State& state, Function&& function) {
  with_kind([&]<typename Kind>(const Kind&) { return typeid(state) == typeid(typename Kind::State); },
            [&]<typename Kind>(const Kind&) {
              for_each_field(static_cast<typename Kind::State&>(state), function);
            });
}

/// The tensors of a state that has one entry each for the parameter's.
std::vector<torch::Tensor*> tensors_in(State& state) {
  std::vector<torch::Tensor*> tensors;
  with_fields(state, [&](const char* /*name*/, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, torch::Tensor>) tensors.push_back(&field);
  });
  return tensors;
}

/// What must be equal of parameters that are joined: the counts of their states, and which tensors there are.
std::vector<int64_t> past_in(State& state) {
  std::vector<int64_t> past;
  with_fields(state, [&](const char* /*name*/, auto& field) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, int64_t>) past.push_back(field);
    if constexpr (std::is_same_v<Field, torch::Tensor>) past.push_back(field.defined() ? -1 : -2);
  });
  return past;
}

State* state_of(torch::optim::Optimizer& optimizer, const torch::Tensor& parameter) {
  const auto found = optimizer.state().find(drift::optimizer_state_key(parameter));
  return found == optimizer.state().end() ? nullptr : found->second.get();
}

std::unique_ptr<State> take_state(torch::optim::Optimizer& optimizer, const torch::Tensor& parameter) {
  const auto found = optimizer.state().find(drift::optimizer_state_key(parameter));
  if (found == optimizer.state().end()) return nullptr;
  auto state = std::move(found->second);
  optimizer.state().erase(found);
  return state;
}

void put_state(torch::optim::Optimizer& optimizer, const torch::Tensor& parameter,
               std::unique_ptr<State> state) {
  if (state) optimizer.state()[drift::optimizer_state_key(parameter)] = std::move(state);
}

torch::Tensor part_of(const torch::Tensor& row, int64_t offset, const torch::Tensor& parameter) {
  return row.narrow(0, offset, parameter.numel()).view(parameter.sizes());
}

/// What a row's state has of one parameter, as views of it.
std::unique_ptr<State> part_of(const State& row, int64_t offset, const torch::Tensor& parameter) {
  auto part = row.clone();
  for (torch::Tensor* tensor : tensors_in(*part))
    if (tensor->defined()) *tensor = part_of(*tensor, offset, parameter);
  return part;
}

/// The same memory in no relation to its base: autograd adds to it in place, and a view's zero_grad() throws.
torch::Tensor alias_of(const torch::Tensor& row, int64_t offset, const torch::Tensor& parameter) {
  const torch::Tensor part = part_of(row, offset, parameter);
  return torch::empty({0}, row.options())
      .set_(part.storage(), part.storage_offset(), part.sizes(), part.strides());
}

bool has_plain_gradient(const torch::Tensor& parameter) {
  const torch::Tensor& gradient = parameter.grad();
  return gradient.defined() && gradient.layout() == torch::kStrided &&
         gradient.dtype() == parameter.dtype() && gradient.device() == parameter.device() &&
         !gradient.requires_grad();
}

bool eps_is_zero(torch::optim::OptimizerOptions& options) {
  bool is_zero = false;
  with_kind([&]<typename Kind>(const Kind&) { return typeid(options) == typeid(typename Kind::Options); },
            [&]<typename Kind>(const Kind&) {
              for_each_field(static_cast<typename Kind::Options&>(options),
                             [&](std::string_view name, auto& value) {
                               if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
                                 is_zero = is_zero || (name == "eps" && value == 0);
                             });
            });
  return is_zero;
}

}  // namespace

bool FlatParameters::can_be_of(const torch::optim::Optimizer& optimizer) {
  using namespace torch::optim;
  const auto& type = typeid(optimizer);
  const bool is_elementwise = type == typeid(SGD) || type == typeid(Adam) || type == typeid(AdamW) ||
                              type == typeid(RMSprop) || type == typeid(Adagrad);
  return is_elementwise && std::ranges::none_of(optimizer.param_groups(), [](const auto& group) {
           return eps_is_zero(
               const_cast<OptimizerOptions&>(group.options()));  // the padding would become 0 / 0
         });
}

FlatParameters::FlatParameters(torch::optim::Optimizer& optimizer, Tensors excluded)
    : optimizer_(optimizer), excluded_(std::move(excluded)) {
  for (const auto& group : optimizer.param_groups()) {
    for (const auto& parameter : group.params()) {
      const auto times = std::ranges::count_if(
          tensors_, [&](const torch::Tensor& other) { return other.is_same(parameter); });
      if (times > 0) excluded_.push_back(parameter);
      tensors_.push_back(parameter);
    }
  }
}

FlatParameters::~FlatParameters() = default;

std::size_t FlatParameters::joined() const {
  std::size_t count = 0;
  for (const Row& row : rows_) count += row.members.size();
  return count;
}

bool FlatParameters::may_join(const torch::Tensor& parameter) const {
  const bool is_excluded =
      std::ranges::any_of(excluded_, [&](const torch::Tensor& each) { return each.is_same(parameter); });
  return !is_excluded && parameter.layout() == torch::kStrided && parameter.is_leaf() &&
         parameter.is_contiguous() && parameter.is_floating_point() && parameter.numel() > 0 &&
         parameter.storage().use_count() == 1;
}

void FlatParameters::prepare() {
  if (is_over()) return;
  if (!is_joined_) {
    join();
  } else if (!holds()) {
    put_apart();
    layout_ = {.is_over = true, .rows = {}};
  }
  if (std::ranges::any_of(waiting_, has_plain_gradient)) {
    put_apart();
    layout_ = {};
    join();
  }
}

/// Whether every member is still where it was put, and had a gradient where LibTorch would skip one that had
/// none.
bool FlatParameters::holds() const {
  return std::ranges::all_of(rows_, [](const Row& row) {
    return std::ranges::all_of(row.members, [](const Member& member) {
      const torch::Tensor& gradient = member.parameter.grad();
      return gradient.defined() && gradient.data_ptr() == member.gradient_memory &&
             member.parameter.data_ptr() == member.value_memory &&
             !(drift::kZeroGradForgets && gradient._version() == member.gradient_version);
    });
  });
}

/// The row that layout_ has for a parameter; where it has none, the same for all.
int64_t FlatParameters::row_wanted(std::size_t parameter) const {
  return parameter < layout_.rows.size() ? layout_.rows[parameter] : 0;
}

/// As layout_ says, if it says anything; and then it says how they are joined now.
void FlatParameters::join() {
  const at::NoGradGuard no_grad;
  is_joined_ = true;
  tensors_.clear();
  in_groups_.clear();
  FlatLayout made;
  for (const auto& group : optimizer_.param_groups()) {
    Tensors& in_group = in_groups_.emplace_back();
    for (Row& row : rows_of(group.params(), made.rows.size())) {
      in_group.push_back(row.values);
      rows_.push_back(std::move(row));
    }
    for (const auto& parameter : group.params()) {
      const auto row = std::ranges::find_if(rows_, [&](const Row& each) {
        return std::ranges::any_of(each.members,
                                   [&](const Member& member) { return member.parameter.is_same(parameter); });
      });
      if (row != rows_.end()) {
        made.rows.push_back(row - rows_.begin());
        continue;
      }
      // One that has waited until the run was resumed may have its first gradient now.
      const bool has_waited = row_wanted(made.rows.size()) == FlatLayout::kWaits;
      const bool waits = has_waited || (!parameter.grad().defined() && may_join(parameter));
      made.rows.push_back(waits ? FlatLayout::kWaits : FlatLayout::kByItself);
      if (waits) waiting_.push_back(parameter);
      in_group.push_back(parameter);
    }
    tensors_.insert(tensors_.end(), in_group.begin(), in_group.end());
  }
  layout_ = std::move(made);
}

/// The rows that a group's parameters make; those of one parameter alone are none.
/// @param first which of the layout's parameters the group's first one is
std::vector<FlatParameters::Row> FlatParameters::rows_of(const Tensors& parameters, std::size_t first) {
  struct Alike {
    int64_t row;  ///< of the layout
    torch::ScalarType type;
    torch::Device device;
    std::vector<int64_t> past;
    Tensors parameters = {};
    bool operator==(const Alike& other) const {
      return row == other.row && type == other.type && device == other.device && past == other.past;
    }
  };
  std::vector<Alike> kinds;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const torch::Tensor& parameter = parameters[i];
    const int64_t row = row_wanted(first + i);
    if (row < 0 || !may_join(parameter) || !has_plain_gradient(parameter)) continue;
    State* state = state_of(optimizer_, parameter);
    const Alike kind{row, parameter.scalar_type(), parameter.device(),
                     state ? past_in(*state) : std::vector<int64_t>()};
    auto found = std::ranges::find(kinds, kind);
    if (found == kinds.end()) found = kinds.insert(kinds.end(), kind);
    found->parameters.push_back(parameter);
  }
  std::vector<Row> rows;
  for (const Alike& kind : kinds)
    if (kind.parameters.size() > 1) rows.push_back(row_of(kind.parameters));
  return rows;
}

FlatParameters::Row FlatParameters::row_of(const Tensors& parameters) {
  int64_t entries = 0;
  for (const auto& parameter : parameters) entries += aligned(parameter.numel());
  const auto options = parameters.front().options().requires_grad(false);
  Row row{.values = torch::zeros({entries}, options),
          .gradients = torch::zeros({entries}, options),
          .members = {}};
  std::unique_ptr<State> whole;
  int64_t offset = 0;
  for (torch::Tensor parameter : parameters) {
    const torch::Tensor values = part_of(row.values, offset, parameter);
    values.copy_(parameter);
    parameter.set_data(values);
    const torch::Tensor gradients = alias_of(row.gradients, offset, parameter);
    gradients.copy_(parameter.grad());
    parameter.mutable_grad() = gradients;
    if (auto state = take_state(optimizer_, parameter)) {
      if (!whole) {
        whole = state->clone();
        for (torch::Tensor* tensor : tensors_in(*whole))
          if (tensor->defined()) *tensor = torch::zeros({entries}, tensor->options());
      }
      const auto from = tensors_in(*state);
      const auto to = tensors_in(*whole);
      for (std::size_t i = 0; i < to.size(); ++i)
        if (to[i]->defined()) part_of(*to[i], offset, parameter).copy_(*from[i]);
    }
    row.members.push_back({.parameter = parameter,
                           .offset = offset,
                           .value_memory = parameter.data_ptr(),
                           .gradient_memory = gradients.data_ptr()});
    offset += aligned(parameter.numel());
  }
  row.values.mutable_grad() = row.gradients;
  put_state(optimizer_, row.values, std::move(whole));
  return row;
}

/// The optimizer's state becomes that of the parameters again, and each has a memory of its own.
void FlatParameters::put_apart() {
  const at::NoGradGuard no_grad;
  for (const Row& row : rows_) {
    const auto whole = take_state(optimizer_, row.values);
    for (const Member& member : row.members) {
      if (!whole) continue;
      auto state = part_of(*whole, member.offset, member.parameter);
      for (torch::Tensor* tensor : tensors_in(*state))
        if (tensor->defined()) *tensor = tensor->clone();
      put_state(optimizer_, member.parameter, std::move(state));
    }
    for (const Member& member : row.members) {
      torch::Tensor parameter = member.parameter;
      if (parameter.data_ptr() == member.value_memory) parameter.set_data(parameter.detach().clone());
      if (parameter.grad().defined() && parameter.grad().data_ptr() == member.gradient_memory)
        parameter.mutable_grad() = parameter.grad().detach().clone();
    }
  }
  rows_.clear();
  waiting_.clear();
  tensors_.clear();
  in_groups_.clear();
  for (const auto& group : optimizer_.param_groups()) {
    in_groups_.push_back(group.params());
    tensors_.insert(tensors_.end(), group.params().begin(), group.params().end());
  }
}

/// Where zero_grad() has let go of the long gradients, they are zero instead; and which gradients come from
/// here on shows in their versions.
void FlatParameters::keep_gradients() {
  const at::NoGradGuard no_grad;
  for (Row& row : rows_) {
    if (!row.values.grad().defined()) row.values.mutable_grad() = row.gradients.zero_();
    for (Member& member : row.members) {
      const torch::Tensor& gradient = member.parameter.grad();
      if (gradient.defined()) member.gradient_version = gradient._version();
    }
  }
}

FlatParameters::InPlace::InPlace(FlatParameters& flat) : flat_(flat) {
  auto& groups = flat_.optimizer_.param_groups();
  for (std::size_t i = 0; i < flat_.in_groups_.size(); ++i) groups[i].params().swap(flat_.in_groups_[i]);
}

FlatParameters::InPlace::~InPlace() {
  if (drift::kZeroGradForgets) flat_.keep_gradients();
  auto& groups = flat_.optimizer_.param_groups();
  for (std::size_t i = 0; i < flat_.in_groups_.size(); ++i) groups[i].params().swap(flat_.in_groups_[i]);
}

FlatParameters::StateApart::StateApart(FlatParameters& flat) : flat_(flat) {
  for (const Row& row : flat_.rows_) {
    const auto& whole = whole_.emplace_back(take_state(flat_.optimizer_, row.values));
    if (!whole) continue;
    for (const Member& member : row.members)
      put_state(flat_.optimizer_, member.parameter, part_of(*whole, member.offset, member.parameter));
  }
}

FlatParameters::StateApart::~StateApart() {
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    const Row& row = flat_.rows_[i];
    for (const Member& member : row.members) take_state(flat_.optimizer_, member.parameter);
    put_state(flat_.optimizer_, row.values, std::move(whole_[i]));
  }
}

}  // namespace lightrun::optim
