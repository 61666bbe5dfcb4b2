#include "fuzz/safetensors_header_property.hpp"
#include "state/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <array>
#include <bit>
#include <filesystem>
#include <map>
#include <set>
#include <string>

using namespace lightrun;

namespace {

const std::filesystem::path kCorpus =
    std::filesystem::path(LIGHTRUN_SOURCE_DIR) / "tests/fuzz/corpus/safetensors_header";

const std::string kDamaged = "has a damaged header: ";
const std::string kNoLength = "is no safetensors file: its first 8 bytes are no header's length";
const std::string kNoObject = "is no safetensors file: its header does not begin with {";
const std::string kShort = "is truncated: its first 8 bytes, the length of its header, are not all there";
const std::string kBadDigits = "is damaged: its checksum is not eight hex digits, or not in its place";
const std::string kNoChecksum = "is damaged: it has metadata of lightrun, but no checksum";
const std::string kShape = "shape is no list of whole numbers from 0 up";
const std::string kLarge = "its shape is too large";
const std::string kOffsets = "data_offsets are not two whole numbers from 0 up";
const std::string kSize = "its data_offsets do not fit its dtype and shape";

std::string in_w(const std::string& what) {
  return kDamaged + "tensor \"w\": " + what;
}

/// Every bad file of the corpus, and what is said of it. The good ones are called good_*.
const std::map<std::string, std::string> kRefusals = {
    {"length_2_64_minus_1", kNoLength},
    {"length_cut", kShort},
    {"length_missing", kShort},
    {"length_over_100_mb", kNoLength},
    {"length_past_end", "is truncated: its header takes 97 bytes, it has 96 for it"},
    {"length_zero", kNoObject},
    {"json_after_bom", kNoObject},
    {"json_after_white_space", kNoObject},
    {"json_comment", kDamaged + "it stops being JSON at byte 1"},
    {"json_cut", kDamaged + "it stops being JSON at byte 69"},
    {"json_list", kNoObject},
    {"json_nul_padding", kDamaged + "it stops being JSON at byte 54"},
    {"json_twice", kDamaged + "it stops being JSON at byte 54"},
    {"json_utf16", kDamaged + "it stops being JSON at byte 1"},
    {"utf8_invalid", kDamaged + "it stops being UTF-8 at byte 2"},
    {"utf8_surrogate_escaped", kDamaged + "it stops being JSON at byte 8"},
    {"deep_lists", kDamaged + R"("w" is no JSON object)"},
    {"deep_objects", in_w("the key \"w\" is not of this format")},
    {"deep_shape", in_w(kShape)},
    {"name_twice", kDamaged + R"(the key "w" is there twice)"},
    {"name_twice_once_escaped", kDamaged + R"(the key "w" is there twice)"},
    {"entry_is_text", kDamaged + R"("w" is no JSON object)"},
    {"entry_key_missing", in_w("dtype, shape or data_offsets is missing")},
    {"entry_key_twice", in_w("the key \"shape\" is there twice")},
    {"entry_key_unknown", in_w("the key \"stride\" is not of this format")},
    {"metadata_key_twice", kDamaged + R"(metadata: the key "a" is there twice)"},
    {"metadata_list", kDamaged + R"("__metadata__" is no JSON object)"},
    {"metadata_nested", kDamaged + R"(metadata: "a" is no text)"},
    {"metadata_null", kDamaged + R"(metadata: "epoch" is no text)"},
    {"metadata_number", kDamaged + R"(metadata: "epoch" is no text)"},
    {"metadata_twice", kDamaged + R"(the key "__metadata__" is there twice)"},
    {"dtype_list", in_w("dtype is no text")},
    {"dtype_lower_case", in_w("unknown dtype \"f32\"")},
    {"dtype_number", in_w("dtype is no text")},
    {"dtype_unknown", in_w("unknown dtype \"F128\"")},
    {"shape_2_64", in_w(kShape)},
    {"shape_beyond_int64", in_w(kShape)},
    {"shape_bytes_overflow", in_w(kLarge)},
    {"shape_empty_but_overflowing", in_w(kLarge)},
    {"shape_exponent", in_w(kShape)},
    {"shape_fraction", in_w(kShape)},
    {"shape_half_a_byte", in_w("it does not fill whole bytes")},
    {"shape_minus_zero", in_w(kShape)},
    {"shape_negative", in_w(kShape)},
    {"shape_number", in_w(kShape)},
    {"shape_product_overflow", in_w(kLarge)},
    {"shape_text", in_w(kShape)},
    {"shape_true", in_w(kShape)},
    {"offsets_2_64", in_w(kOffsets)},
    {"offsets_empty_within_another", kDamaged + R"(tensor "e": it overlaps another tensor)"},
    {"offsets_equal", kDamaged + R"(tensor "b": it overlaps another tensor)"},
    {"offsets_fraction", in_w(kOffsets)},
    {"offsets_hole", kDamaged + R"(tensor "b": there are bytes of no tensor before it)"},
    {"offsets_hole_before", kDamaged + R"(tensor "a": there are bytes of no tensor before it)"},
    {"offsets_negative", in_w(kOffsets)},
    {"offsets_no_tensor_but_data", "is damaged: its tensors take 0 bytes, it has 8 for them"},
    {"offsets_number", in_w(kOffsets)},
    {"offsets_one", in_w(kOffsets)},
    {"offsets_overlapping", kDamaged + R"(tensor "b": it overlaps another tensor)"},
    {"offsets_reversed", in_w("its data_offsets are reversed")},
    {"offsets_tail", "is damaged: its tensors take 8 bytes, it has 9 for them"},
    {"offsets_three", in_w(kOffsets)},
    {"offsets_too_long", in_w(kSize)},
    {"offsets_too_short", in_w(kSize)},
    {"data_cut", "is truncated: its tensors take 8 bytes, it has 7 for them"},
    {"data_missing", "is truncated: its tensors take 8 bytes, it has 0 for them"},
    {"checksum_after_space", kBadDigits},
    {"checksum_digits_escaped", kBadDigits},
    {"checksum_empty", kBadDigits},
    {"checksum_key_changed", kNoChecksum},
    {"checksum_key_escaped", kBadDigits},
    {"checksum_long", kBadDigits},
    {"checksum_missing", kNoChecksum},
    {"checksum_of_another_file",
     "is damaged (or was changed by a program that kept the checksum): its checksum is 06be3c7e, that of its "
     "bytes 06be3c7f"},
    {"checksum_prefix_changed", kNoChecksum},
    {"checksum_short", kBadDigits},
    {"checksum_upper_case", kBadDigits},
};

std::set<std::string> corpus_files() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus))
    names.insert(entry.path().filename().string());
  return names;
}

bool is_good(const std::string& name) {
  return name.starts_with("good_");
}

std::string error_of(const std::filesystem::path& path) {
  try {
    static_cast<void>(state::read_safetensors(path));
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

/// The error of a file of this header and data, without its path.
std::string error_of_file(const std::string& header, const std::string& data) {
  const tests::TemporaryFolder folder;
  const auto length = std::bit_cast<std::array<char, 8>>(uint64_t{header.size()});
  tests::write_file(folder / "x", std::string(length.begin(), length.end()) + header + data);
  const std::string text = error_of(folder / "x");
  const std::string prefix = (folder / "x").string() + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

TEST_CASE("every hostile file of the corpus is refused, with its path and what is wrong with it") {
  std::set<std::string> names;
  for (const auto& [name, refusal] : kRefusals) {
    CHECK(error_of(kCorpus / name) == (kCorpus / name).string() + ": " + refusal);
    names.insert(name);
  }
  for (const std::string& name : corpus_files()) {
    INFO(name);
    CHECK((is_good(name) || names.contains(name)));
  }
}

TEST_CASE("every good file of the corpus is read; types that LibTorch has not, only in the header") {
  int count = 0;
  for (const std::string& name : corpus_files()) {
    if (!is_good(name)) continue;
    INFO(name);
    CHECK_NOTHROW(state::read_safetensors_header(kCorpus / name));
    if (name == "good_types_of_others") {
      CHECK(error_of(kCorpus / name) ==
            (kCorpus / name).string() + ": tensor 'u' has the type U16, which LibTorch has not");
    } else {
      CHECK(error_of(kCorpus / name) == "");
    }
    ++count;
  }
  CHECK(count > 10);
  // Made by other means than ours (Python's), so it checks the checksum too.
  const auto file = state::read_safetensors(kCorpus / "good_checksum");
  CHECK(file.verified);
  CHECK(file.metadata == std::map<std::string, std::string>{{"lightrun.format", "1"}});
  CHECK(torch::equal(file.tensors.at("w"), torch::tensor({1.f, 2.f})));
}

TEST_CASE("what the fuzzer checks holds for its corpus") {
  for (const std::string& name : corpus_files()) {
    INFO(name);
    CHECK_NOTHROW(fuzz::check_safetensors_header(tests::read_file(kCorpus / name)));
  }
}

TEST_CASE("a million lists within lists, and a hundred thousand tensors, are no danger") {
  CHECK(error_of_file("{\"w\":{\"shape\":" + std::string(1'000'000, '['), "") == in_w(kShape));
  std::string header = "{";
  for (int i = 0; i < 100'000; ++i) {
    const std::string n = std::to_string(i);
    if (i > 0) header += ',';
    header += "\"t" + n + R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" + n + ",";
    header += std::to_string(i + 1) + "]}";
  }
  CHECK(error_of_file(header + "}", std::string(100'000, 'x')) == "");
}

TEST_CASE("a name with control characters, or one without end, is printed as something short and plain") {
  const auto error_of_name = [](const std::string& name) {
    return error_of_file("{\"" + name + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234");
  };
  CHECK(error_of_name(R"(\u001b[31m\n)") == kDamaged + R"(tensor "\u001b[31m\n": )" + kSize);
  CHECK(error_of_name(std::string(10'000, 'x')).size() < 250);
}

TEST_CASE("a bool that is neither 0 nor 1 is refused") {
  CHECK(error_of_file(R"({"b":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\x01\x02") ==
        "tensor 'b' has values that are neither true nor false");
}
