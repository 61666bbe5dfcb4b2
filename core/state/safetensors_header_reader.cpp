#include "state/safetensors_checksum.hpp"
#include "state/safetensors_header.hpp"
#include "support/elide.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace lightrun::state {
namespace {

[[noreturn]] void damaged_header(const std::string& what) {
  throw RunError("has a damaged header: " + what);
}

/// Text of the file, safe to print: control characters escaped, not too long.
std::string json_shown(const std::string& text) {
  constexpr std::size_t kWidth = 100;
  return support::elide(nlohmann::json(text).dump(), kWidth);
}

[[noreturn]] void damaged_tensor(const std::string& name, const std::string& what) {
  damaged_header("tensor " + json_shown(name) + ": " + what);
}

/// The format's JSON, from the parser's events. Whatever is not of the format is refused as it comes, so that
/// nothing unexpected is ever stored and nothing nests deeper than three.
class HeaderBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  /// What was read, entries in the order of the text.
  [[nodiscard]] SafetensorsHeader take() { return std::move(header_); }

  bool key(std::string& key) override {
    const bool is_new = keys_[place_ == Place::top ? 0 : 1].insert(key).second;
    if (!is_new) damaged_header(where() + "the key " + json_shown(key) + " is there twice");
    if (place_ == Place::entry && key != "dtype" && key != "shape" && key != "data_offsets")
      damaged_header(where() + "the key " + json_shown(key) + " is not of this format");
    (place_ == Place::top ? name_ : key_) = key;
    return true;
  }

  bool start_object(std::size_t /*count*/) override {
    switch (place_) {
      case Place::outside:
        place_ = Place::top;
        return true;
      case Place::top:
        keys_[1].clear();
        place_ = name_ == kMetadataName ? Place::metadata : Place::entry;
        if (place_ == Place::entry) header_.entries.emplace_back().name = name_;
        return true;
      default:
        return unexpected();
    }
  }

  bool end_object() override {
    if (place_ == Place::entry && keys_[1].size() < 3)
      damaged_header(where() + "dtype, shape or data_offsets is missing");
    place_ = place_ == Place::top ? Place::outside : Place::top;
    return true;
  }

  bool start_array(std::size_t /*count*/) override {
    if (place_ != Place::entry || key_ == "dtype") return unexpected();
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    offsets_.clear();
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offsets) {
      if (offsets_.size() != 2) return unexpected();
      header_.entries.back().begin = offsets_[0];
      header_.entries.back().end = offsets_[1];
    }
    place_ = Place::entry;
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::metadata) {
      header_.metadata.emplace(key_, value);
      return true;
    }
    if (place_ != Place::entry || key_ != "dtype") return unexpected();
    const auto known = dtype_called(value);
    if (!known) damaged_header(where() + "unknown dtype " + json_shown(value));
    header_.entries.back().dtype = *known;
    return true;
  }

  bool number_unsigned(uint64_t value) override {
    if (place_ == Place::shape && value <= std::numeric_limits<int64_t>::max()) {
      header_.entries.back().shape.push_back(static_cast<int64_t>(value));
    } else if (place_ == Place::offsets && offsets_.size() < 2) {
      offsets_.push_back(value);
    } else {
      return unexpected();
    }
    return true;
  }

  bool null() override { return unexpected(); }
  bool boolean(bool /*value*/) override { return unexpected(); }
  bool number_integer(int64_t /*value*/) override { return unexpected(); }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return unexpected(); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return unexpected(); }

  bool parse_error(std::size_t position, const std::string& /*last_token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    damaged_header("it stops being JSON at byte " + std::to_string(std::max<std::size_t>(position, 1) - 1));
  }

 private:
  enum class Place { outside, top, metadata, entry, shape, offsets };

  [[nodiscard]] std::string where() const {
    if (place_ == Place::top || place_ == Place::outside) return "";
    return place_ == Place::metadata ? "metadata: " : "tensor " + json_shown(name_) + ": ";
  }

  /// A value that is not the one that belongs here.
  [[nodiscard]] bool unexpected() const {
    switch (place_) {
      case Place::outside:
        damaged_header("it is no JSON object");
      case Place::top:
        damaged_header(json_shown(name_) + " is no JSON object");
      case Place::metadata:
        damaged_header(where() + json_shown(key_) + " is no text");
      default:
        break;
    }
    if (key_ == "dtype") damaged_header(where() + "dtype is no text");
    if (key_ == "shape") damaged_header(where() + "shape is no list of whole numbers from 0 up");
    damaged_header(where() + "data_offsets are not two whole numbers from 0 up");
  }

  SafetensorsHeader header_;
  Place place_ = Place::outside;
  std::array<std::set<std::string>, 2> keys_;  // seen at the top, and within the entry or the metadata
  std::string name_;                           // the last key at the top
  std::string key_;                            // the last one within
  std::vector<uint64_t> offsets_;
};

/// Bits of a tensor of this shape; nothing where that is beyond 64 bits. A size of 0 makes a tensor empty,
/// but does not excuse the others: its strides are their product all the same.
std::optional<uint64_t> bits_of(const SafetensorsEntry& entry) {
  uint64_t bits = bits_of(entry.dtype);
  for (const int64_t size : entry.shape) {
    if (__builtin_mul_overflow(bits, static_cast<uint64_t>(std::max<int64_t>(size, 1)), &bits)) return {};
  }
  return std::ranges::find(entry.shape, 0) == entry.shape.end() ? bits : 0;
}

void check_size(const SafetensorsEntry& entry) {
  const auto bits = bits_of(entry);
  if (!bits) damaged_tensor(entry.name, "its shape is too large");
  if (*bits % 8 != 0) damaged_tensor(entry.name, "it does not fill whole bytes");
  if (entry.begin > entry.end) damaged_tensor(entry.name, "its data_offsets are reversed");
  if (entry.end - entry.begin != *bits / 8)
    damaged_tensor(entry.name, "its data_offsets do not fit its dtype and shape");
}

/// Of entries in the order of their places.
void check_coverage(const std::vector<SafetensorsEntry>& entries, uint64_t data_bytes) {
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin < covered) damaged_tensor(entry.name, "it overlaps another tensor");
    if (entry.begin > covered) damaged_tensor(entry.name, "there are bytes of no tensor before it");
    covered = entry.end;
  }
  if (covered == data_bytes) return;
  throw RunError(std::string(covered > data_bytes ? "is truncated" : "is damaged") + ": its tensors take " +
                 std::to_string(covered) + " bytes, it has " + std::to_string(data_bytes) + " for them");
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_bytes) {
  if (!text.starts_with('{')) throw RunError("is no safetensors file: its header does not begin with {");
  if (const auto place = support::invalid_utf8(text))
    damaged_header("it stops being UTF-8 at byte " + std::to_string(*place));
  // The parser takes a NUL for the end of the text.
  if (const auto place = text.find('\0'); place != std::string_view::npos)
    damaged_header("it stops being JSON at byte " + std::to_string(place));
  HeaderBuilder builder;
  nlohmann::json::sax_parse(text, &builder);
  SafetensorsHeader header = builder.take();
  for (const SafetensorsEntry& entry : header.entries) check_size(entry);
  std::ranges::sort(header.entries, [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  check_coverage(header.entries, data_bytes);
  header.checksum = take_checksum(header.metadata, text);
  return header;
}

}  // namespace lightrun::state
