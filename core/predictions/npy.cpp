#include "predictions/formats.hpp"
#include "sources/npy_format.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace lightrun::predictions {
namespace {

constexpr std::size_t kAlignment = 64;  // of the numbers in the file
constexpr std::size_t kBeforeHeader = 10;

std::string_view npy_type(torch::ScalarType type) {
  return std::ranges::find(sources::kNpyTypes, type, [](const auto& known) { return known.second; })->first;
}

/// A Python tuple: "(3,)", "(3, 4)".
std::string tuple_text(at::IntArrayRef shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace

void write_npy(std::ostream& out, const torch::Tensor& tensor) {
  const torch::Tensor plain =
      (tensor.scalar_type() == torch::kBFloat16 ? tensor.to(torch::kFloat32) : tensor).contiguous();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   npy_type(plain.scalar_type()), tuple_text(plain.sizes()));
  const std::size_t used = kBeforeHeader + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  out << sources::kNpyMagic << '\x01' << '\0' << static_cast<char>(header.size() & 0xff)
      << static_cast<char>(header.size() >> 8) << header;
  out.write(static_cast<const char*>(plain.data_ptr()), static_cast<std::streamsize>(plain.nbytes()));
}

}  // namespace lightrun::predictions
