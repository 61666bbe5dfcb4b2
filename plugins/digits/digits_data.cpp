#include "digits_data.hpp"

#include <lightrun/error.hpp>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace digits {
namespace {

constexpr std::string_view kMagic = "DIGITS01";
constexpr std::size_t kHeaderBytes = 20;
constexpr int64_t kPixels = 64;
constexpr int64_t kSampleBytes = kPixels + 1;
constexpr uint8_t kMaxPixel = 16;
constexpr uint8_t kMaxLabel = 9;

std::vector<uint8_t> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw lightrun::RunError(path + ": cannot be read");
  return bytes;
}

/// The little-endian count at `offset` of the header.
int64_t count_at(std::span<const uint8_t> bytes, std::size_t offset) {
  uint32_t count = 0;
  for (std::size_t i = 4; i-- > 0;) count = count << 8 | bytes[offset + i];
  return count;
}

void check_samples(const std::string& path, std::span<const uint8_t> samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool is_label = i % kSampleBytes == kPixels;
    if (samples[i] <= (is_label ? kMaxLabel : kMaxPixel)) continue;
    throw lightrun::RunError(path + ": image " + std::to_string(i / kSampleBytes) + " has a " +
                             (is_label ? "label " : "pixel ") + std::to_string(samples[i]) +
                             "; the file is damaged");
  }
}

Part part_of(const torch::Tensor& samples) {
  return {.images = samples.narrow(1, 0, kPixels).to(torch::kFloat).div_(kMaxPixel).view({-1, 1, 8, 8}),
          .labels = samples.select(1, kPixels).to(torch::kLong)};
}

}  // namespace

Data read_data(const std::string& path) {
  std::vector<uint8_t> bytes = read_bytes(path);
  if (bytes.size() < kHeaderBytes || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    throw lightrun::RunError(path + ": is not a file of digits (it does not begin with " +
                             std::string(kMagic) + ")");

  const int64_t train = count_at(bytes, 8);
  const int64_t validation = count_at(bytes, 12);
  const int64_t test = count_at(bytes, 16);
  const int64_t total = train + validation + test;
  const std::size_t expected = kHeaderBytes + static_cast<std::size_t>(total * kSampleBytes);
  if (bytes.size() != expected)
    throw lightrun::RunError(path + ": has " + std::to_string(bytes.size()) + " bytes instead of " +
                             std::to_string(expected) + "; the file is damaged");
  check_samples(path, std::span(bytes).subspan(kHeaderBytes));

  const auto samples = torch::from_blob(bytes.data() + kHeaderBytes, {total, kSampleBytes}, torch::kByte);
  return {.train = part_of(samples.narrow(0, 0, train)),
          .validation = part_of(samples.narrow(0, train, validation)),
          .test = part_of(samples.narrow(0, train + validation, test))};
}

}  // namespace digits
