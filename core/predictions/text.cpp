#include "support/text.hpp"
#include "predictions/formats.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <string_view>

namespace lightrun::predictions {

void write_text(std::ostream& out, const torch::Tensor& bytes) {
  const torch::Tensor plain = bytes.contiguous();
  const auto width = static_cast<std::size_t>(plain.size(1));
  const auto* data = reinterpret_cast<const char*>(plain.data_ptr<uint8_t>());
  for (int64_t row = 0; row < plain.size(0); ++row, data += width) {
    const std::string_view padded(data, width);
    const std::string_view text = padded.substr(0, padded.find_last_not_of('\0') + 1);
    if (const auto at = support::invalid_utf8(text)) {
      throw RunError(
          fmt::format("a text of the predictions is not UTF-8 (byte {}); write the bytes to a .npy "
                      "file",
                      *at));
    }
    out << text << '\n';
  }
}

}  // namespace lightrun::predictions
