#pragma once

#include "state/pickle_reader.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lightrun::state {

/// What Python's torch.save writes of a tensor, unchecked: elements of a storage that other tensors may
/// share.
struct PickledTensor {
  PickleGlobal storage_type;     ///< `torch` `FloatStorage` and so on
  std::string_view storage_key;  ///< the storage is the archive's record `data/<key>`
  int64_t storage_length;        ///< in elements, as are offset and strides
  int64_t offset;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;  ///< as many as sizes
  bool has_metadata;  ///< its values are the conjugated or negated ones, or it is of a special device
};

/// The tensor or parameter that a pickle's value is, also one with attributes of its own. Nothing where it is
/// neither, or one that other functions make than a plain tensor's (sparse, quantized), or badly made.
[[nodiscard]] std::optional<PickledTensor> pickled_tensor_in(const PickleValue& value);

struct TensorExtent {
  int64_t elements;
  int64_t last;  ///< index in the storage of the last element, where there are any
};

/// Nothing where a size, stride or offset is negative or the numbers go beyond 64 bits.
[[nodiscard]] std::optional<TensorExtent> extent_of(const PickledTensor& tensor);

}  // namespace lightrun::state
