#include "state/pickled_tensor.hpp"

#include <algorithm>

namespace lightrun::state {
namespace {

constexpr std::size_t kMostDimensions = 64;  // as LibTorch's own limit
constexpr int kDeepestWrapping = 4;          // a parameter of a class of its own is two deep

constexpr PickleGlobal kRebuildTensor{"torch._utils", "_rebuild_tensor_v2"};
constexpr PickleGlobal kRebuildParameter{"torch._utils", "_rebuild_parameter"};
constexpr PickleGlobal kRebuildParameterWithState{"torch._utils", "_rebuild_parameter_with_state"};
constexpr PickleGlobal kRebuildFromType{"torch._tensor", "_rebuild_from_type_v2"};

struct PickledCall {
  PickleGlobal function;
  const PickleTuple* arguments;
};

/// The call inside of one that makes a parameter, or adds a class and attributes; nothing for any other.
std::optional<PickledCall> wrapped_call(const PickledCall& call) {
  const auto& items = call.arguments->items;
  if ((call.function == kRebuildParameter || call.function == kRebuildParameterWithState) && !items.empty()) {
    const auto* const tensor = items[0]->get<PickleObject>();
    if (tensor != nullptr) return PickledCall{tensor->made_by, tensor->arguments};
  }
  if (call.function == kRebuildFromType && items.size() == 4) {  // function, class, arguments, attributes
    const auto* const function = items[0]->get<PickleGlobal>();
    if (function != nullptr) return PickledCall{*function, items[2]->get<PickleTuple>()};
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> numbers_in(const PickleValue& value) {
  const auto* const tuple = value.get<PickleTuple>();
  if (tuple == nullptr || tuple->items.size() > kMostDimensions) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const PickleValue* const item : tuple->items) {
    const auto* const number = item->get<int64_t>();
    if (number == nullptr) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Sets what an id says of its storage: "storage", type, key, device, number of elements.
bool set_storage(PickledTensor& tensor, const PickleValue& value) {
  const auto* const reference = value.get<PickleReference>();
  const auto* const id = reference != nullptr ? reference->id->get<PickleTuple>() : nullptr;
  if (id == nullptr || id->items.size() < 5) return false;
  const auto* const kind = id->items[0]->get<std::string_view>();
  const auto* const type = id->items[1]->get<PickleGlobal>();
  const auto* const key = id->items[2]->get<std::string_view>();
  const auto* const length = id->items[4]->get<int64_t>();
  if (kind == nullptr || *kind != "storage" || type == nullptr || key == nullptr || length == nullptr)
    return false;
  tensor.storage_type = *type;
  tensor.storage_key = *key;
  tensor.storage_length = *length;
  return true;
}

/// Of the arguments storage, offset, sizes, strides, requires_grad, hooks and in some files metadata.
std::optional<PickledTensor> plain_tensor(const std::vector<const PickleValue*>& arguments) {
  PickledTensor tensor = {};
  if (arguments.size() < 6 || !set_storage(tensor, *arguments[0])) return std::nullopt;
  const auto* const offset = arguments[1]->get<int64_t>();
  auto sizes = numbers_in(*arguments[2]);
  auto strides = numbers_in(*arguments[3]);
  if (offset == nullptr || !sizes || !strides || sizes->size() != strides->size()) return std::nullopt;
  tensor.offset = *offset;
  tensor.sizes = std::move(*sizes);
  tensor.strides = std::move(*strides);
  const auto* const metadata = arguments.size() > 6 ? arguments[6]->get<PickleObject>() : nullptr;
  tensor.has_metadata = metadata != nullptr && !metadata->entries.empty();
  return tensor;
}

}  // namespace

std::optional<PickledTensor> pickled_tensor_in(const PickleValue& value) {
  const auto* const object = value.get<PickleObject>();
  if (object == nullptr) return std::nullopt;
  std::optional<PickledCall> call = PickledCall{object->made_by, object->arguments};
  for (int depth = 0; depth < kDeepestWrapping && call && call->arguments != nullptr; ++depth) {
    if (call->function == kRebuildTensor) return plain_tensor(call->arguments->items);
    call = wrapped_call(*call);
  }
  return std::nullopt;
}

std::optional<TensorExtent> extent_of(const PickledTensor& tensor) {
  int64_t product = 1;
  int64_t last = tensor.offset;
  bool is_empty = false;
  if (tensor.offset < 0) return std::nullopt;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    const int64_t size = tensor.sizes[i];
    const int64_t stride = tensor.strides[i];
    const int64_t length = std::max<int64_t>(size, 1);
    int64_t span = 0;
    if (size < 0 || stride < 0 || __builtin_mul_overflow(product, length, &product) ||
        __builtin_mul_overflow(length - 1, stride, &span) || __builtin_add_overflow(last, span, &last)) {
      return std::nullopt;
    }
    is_empty = is_empty || size == 0;
  }
  return TensorExtent{is_empty ? 0 : product, last};
}

}  // namespace lightrun::state
