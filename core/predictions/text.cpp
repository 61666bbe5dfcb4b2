#include "predictions/formats.hpp"

#include <cstdint>
#include <string_view>

namespace lightrun::predictions {

void write_text(std::ostream& out, const torch::Tensor& bytes) {
  const torch::Tensor plain = bytes.contiguous();
  const auto width = static_cast<std::size_t>(plain.size(1));
  const auto* data = reinterpret_cast<const char*>(plain.data_ptr<uint8_t>());
  for (int64_t row = 0; row < plain.size(0); ++row, data += width) {
    const std::string_view text(data, width);
    out << text.substr(0, text.find_last_not_of('\0') + 1) << '\n';
  }
}

}  // namespace lightrun::predictions
