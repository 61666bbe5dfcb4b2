#include "loggers/event_record.hpp"

#include "support/catch.hpp"

#include <sstream>

using namespace lightrun::loggers;

namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

int64_t whole(const std::string& bytes, int64_t limit) {
  std::istringstream stream(bytes);
  return whole_records_end(stream, limit);
}

bool is_ours(const std::string& bytes) {
  std::istringstream stream(bytes);
  return begins_like_ours(stream);
}

}  // namespace

TEST_CASE("records have the bytes that TensorBoard's own writer would write") {
  CHECK(hex(version_record(1)) ==
        "1800000000000000a37f4b2209000000000000f03f1a0d627261696e2e4576656e743a3286bf577a");
  CHECK(hex(scalars_record(2, 7, {{"loss", 0.5}})) ==
        "1a00000000000000129bd82d09000000000000004010072a0d0a0b0a046c6f7373150000003fc33fc24a");
}

TEST_CASE("whole records end where the next one is cut off, damaged or beyond the limit") {
  const std::string first = version_record(1);
  const std::string two = first + scalars_record(2, 7, {{"loss", 0.5}});
  const auto bytes = static_cast<int64_t>(two.size());
  CHECK(whole(two, bytes) == bytes);
  CHECK(whole(two, bytes - 1) == std::ssize(first));
  CHECK(whole("", 0) == 0);
  for (std::size_t length = 0; length < two.size(); ++length)
    REQUIRE(whole(two.substr(0, length), bytes) == (length < first.size() ? 0 : std::ssize(first)));
  for (std::size_t place = first.size(); place < two.size(); ++place) {
    std::string damaged = two;
    damaged[place] ^= 1;
    REQUIRE(whole(damaged, bytes) == std::ssize(first));
  }
}

TEST_CASE("a file of ours is known by its first two records") {
  CHECK(is_ours(version_record(1) + start_record(2, 3)));
  CHECK_FALSE(is_ours(version_record(1) + scalars_record(2, 7, {{"loss", 0.5}})));
  CHECK_FALSE(is_ours(start_record(2, 3) + version_record(1)));
  CHECK_FALSE(is_ours(version_record(1)));
  CHECK_FALSE(is_ours(""));
}
