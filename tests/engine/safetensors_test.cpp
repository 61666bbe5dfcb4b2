#include "state/safetensors.hpp"

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <torch/types.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <sstream>

using namespace lightrun;
using namespace std::string_literals;
using Catch::Matchers::Contains;
using state::Checksum;
using tests::TemporaryFolder;

namespace {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;
using TextMap = std::map<std::string, std::string>;

/// Metadata {"format": "pt"}, tensor w = [1, 2] in F32; as the reference writer writes it.
const std::string kGoldenHead =
    "\x58"
    "\0\0\0\0\0\0\0"s
    R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   )";
const std::string kGoldenFile = kGoldenHead + "\0\0\x80\x3f\0\0\0\x40"s;

std::string bytes_written(const NamedTensors& tensors, const TextMap& metadata,
                          Checksum checksum = Checksum::crc32c) {
  std::ostringstream out;
  state::write_safetensors(out, tensors, metadata, checksum);
  return out.str();
}

struct WrittenFile {
  nlohmann::json header;
  std::string data;
};

WrittenFile written(const NamedTensors& tensors) {
  const std::string bytes = bytes_written(tensors, {{"format", "pt"}});
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return {nlohmann::json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

state::SafetensorsFile read_back(const std::string& bytes) {
  const TemporaryFolder folder;
  tests::write_file(folder / "x.safetensors", bytes);
  return state::read_safetensors(folder / "x.safetensors");
}

/// What is said of a file of these bytes called "x.ckpt", without the folder; "" where it is read.
std::string refusal(const TemporaryFolder& folder, const std::string& bytes) {
  tests::write_file(folder / "x.ckpt", bytes);
  try {
    static_cast<void>(state::read_safetensors(folder / "x.ckpt"));
  } catch (const RunError& error) {
    const std::string text = error.what();
    const std::string path = folder.path().string() + "/";
    return text.starts_with(path) ? text.substr(path.size()) : "(no path) " + text;
  }
  return "";
}

/// A file with a checksum, and metadata that is not lightrun's.
std::string small_file() {
  return bytes_written({{"w", torch::tensor({1.f, 2.f})}}, {{"format", "pt"}});
}

}  // namespace

TEST_CASE("a tensor's bytes stand where its entry says, row by row") {
  const auto transposed = torch::tensor({{1.f, 2.f}, {3.f, 4.f}}).t();
  const WrittenFile file = written({{"w", transposed}, {"n", torch::tensor({7}, torch::kInt64)}});
  CHECK(file.header["__metadata__"]["format"] == "pt");
  CHECK(file.header["n"] == nlohmann::json({{"dtype", "I64"}, {"shape", {1}}, {"data_offsets", {0, 8}}}));
  CHECK(file.header["w"] == nlohmann::json({{"dtype", "F32"}, {"shape", {2, 2}}, {"data_offsets", {8, 24}}}));
  const float expected[] = {1, 3, 2, 4};
  REQUIRE(file.data.size() == 24);
  CHECK(std::memcmp(file.data.data() + 8, expected, sizeof expected) == 0);
}

TEST_CASE("a view saves its own values only, a scalar has no shape") {
  const auto base = torch::arange(1000, torch::kFloat64);
  const WrittenFile file =
      written({{"view", base.narrow(0, 10, 2)}, {"scalar", torch::tensor(1.5, torch::kFloat64)}});
  CHECK(file.data.size() == 3 * 8);
  CHECK(file.header["scalar"]["shape"] == nlohmann::json::array());
}

TEST_CASE("a conjugate and a negative save their values, not those they look at") {
  const auto base = torch::complex(torch::tensor({1.f}), torch::tensor({2.f}));
  const auto file = read_back(bytes_written({{"c", base.conj()}, {"n", torch::imag(base.conj())}}, {}));
  CHECK(torch::imag(file.tensors.at("c")).item<float>() == -2);
  CHECK(file.tensors.at("n").item<float>() == -2);
}

TEST_CASE("what cannot be saved is refused with a sentence, and nothing is written") {
  const auto one = torch::zeros({1});
  const auto refused = [](const NamedTensors& tensors, const TextMap& metadata = {},
                          Checksum checksum = Checksum::crc32c) {
    std::ostringstream out;
    std::string text;
    try {
      state::write_safetensors(out, tensors, metadata, checksum);
    } catch (const RunError& error) {
      text = error.what();
    }
    CHECK(out.str().empty());
    return text;
  };
  CHECK(refused({{"a", one}, {"a", one}}) == "two tensors are called 'a'");
  CHECK(refused({{"a", torch::zeros({1}, torch::kComplexDouble)}}) ==
        "tensor 'a' cannot be saved: safetensors has no type ComplexDouble");
  CHECK(refused({{"a", torch::Tensor()}}) == "tensor 'a' cannot be saved: it has no value");
  CHECK(refused({{"a", one.to_sparse()}}) == "tensor 'a' cannot be saved: it is not dense");
  CHECK_THAT(refused({{"__metadata__", one}}), Contains("no tensor can be called '__metadata__'"));
  CHECK_THAT(refused({{"\xff", one}}), Contains("not UTF-8"));
  CHECK_THAT(refused({}, {{"a", "\xff"}}), Contains("not UTF-8"));
  CHECK_THAT(refused({}, {{"lightrun.format", "1"}}, Checksum::none), Contains("needs a checksum"));
  CHECK_THAT(refused({}, {{"lightrun.crc32c", "01234567"}}), Contains("belongs to lightrun"));
  CHECK_THAT(refused({}, {{"a", std::string(100'000'001, 'x')}}), Contains("too long"));
}

TEST_CASE("the types that can be saved are those that the format has") {
  CHECK_FALSE(state::reason_not_to_save(torch::empty({1}, torch::kFloat32)));
  CHECK_FALSE(state::reason_not_to_save(torch::empty({1}, torch::kBool)));
  CHECK_FALSE(state::reason_not_to_save(torch::empty({1}, torch::kComplexFloat)));
  CHECK(state::reason_not_to_save(torch::empty({1}, torch::kComplexDouble)));
  CHECK(state::reason_not_to_save(torch::empty({1}, torch::kComplexHalf)));
  CHECK(state::reason_not_to_save(torch::quantize_per_tensor(torch::zeros({1}), 1, 0, torch::kQInt8)));
}

TEST_CASE("without a checksum a file is the reference writer's, byte for byte") {
  CHECK(bytes_written({{"w", torch::tensor({1.f, 2.f})}}, {{"format", "pt"}}, Checksum::none) == kGoldenFile);
  CHECK(bytes_written({}, {}, Checksum::none) == "\x08\0\0\0\0\0\0\0{}      "s);
}

TEST_CASE("types lie in the format's order, names in theirs: every tensor is aligned to its size") {
  const auto of = [](torch::ScalarType type) { return torch::ones({1}, type); };
  const std::string bytes = bytes_written({{"u8", of(torch::kUInt8)},
                                           {"bool", of(torch::kBool)},
                                           {"b", of(torch::kFloat32)},
                                           {"f64", of(torch::kFloat64)},
                                           {"a", of(torch::kFloat32)},
                                           {"i64", of(torch::kInt64)},
                                           {"c64", of(torch::kComplexFloat)},
                                           {"bf16", of(torch::kBFloat16)}},
                                          {});
  const TemporaryFolder folder;
  tests::write_file(folder / "x", bytes);
  std::vector<std::string> names;
  for (const auto& entry : state::read_safetensors_header(folder / "x").entries) {
    names.push_back(entry.name);
    const uint64_t size = entry.end - entry.begin;
    CHECK(entry.begin % size == 0);
  }
  CHECK(names == std::vector<std::string>{"i64", "f64", "c64", "a", "b", "bf16", "u8", "bool"});
}

TEST_CASE("a plain file is read, and says that nothing vouches for it") {
  const auto file = read_back(kGoldenFile);
  REQUIRE(file.tensors.size() == 1);
  CHECK(torch::equal(file.tensors.at("w"), torch::tensor({1.f, 2.f})));
  CHECK(file.metadata == TextMap{{"format", "pt"}});
  CHECK_FALSE(file.verified);
}

TEST_CASE("values of every type, empty tensors and scalars come back bit for bit, with their metadata") {
  const auto halves = torch::tensor({{0.5, -1.0, 2.0}, {0.0, 1.0, -3.5}});
  NamedTensors tensors = {{"nan", torch::tensor({NAN, -INFINITY, -0.f})},
                          {"scalar", torch::tensor(2.5f)},
                          {"empty", torch::empty({3, 0, 2})},
                          {"complex", torch::complex(torch::tensor({1.f, 2.f}), torch::tensor({3.f, -4.f}))},
                          {"bool", torch::tensor({true, false, true})},
                          {"u8", torch::tensor({0, 255}, torch::kUInt8)}};
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kFloat16, torch::kBFloat16, torch::kInt64,
                          torch::kInt32, torch::kInt16, torch::kInt8}) {
    tensors.emplace_back(toString(type), halves.to(type));
  }
  const TextMap metadata = {{"lightrun.format", "1"},
                            {"a key that ends as \"lightrun.crc32c", "12345678"},
                            {"text", "\"quoted\" \n \x01 größe"},
                            {"", ""}};
  const auto file = read_back(bytes_written(tensors, metadata));
  CHECK(file.verified);
  CHECK(file.metadata == metadata);
  REQUIRE(file.tensors.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    INFO(name);
    const auto& read = file.tensors.at(name);
    CHECK(read.scalar_type() == tensor.scalar_type());
    REQUIRE(read.sizes() == tensor.sizes());
    if (read.numel() > 0) CHECK(std::memcmp(read.data_ptr(), tensor.data_ptr(), tensor.nbytes()) == 0);
  }
}

TEST_CASE("a tensor of many pieces comes back whole, next to odd ones") {
  const auto large = torch::arange(1'000'001, torch::kInt32);
  const auto file =
      read_back(bytes_written({{"large", large}, {"odd", torch::ones({3}, torch::kUInt8)}}, {}));
  CHECK(torch::equal(file.tensors.at("large"), large));
  CHECK(file.verified);
}

TEST_CASE("the header is read without the data, of which only the length is looked at") {
  const TemporaryFolder folder;
  std::string bytes = small_file();
  bytes.back() = static_cast<char>(~bytes.back());
  tests::write_file(folder / "x", bytes);
  const auto header = state::read_safetensors_header(folder / "x");
  REQUIRE(header.entries.size() == 1);
  CHECK(header.entries.front().name == "w");
  CHECK(state::name_of(header.entries.front().dtype) == "F32");
  CHECK(header.entries.front().shape == std::vector<int64_t>{2});
  CHECK(header.metadata == TextMap{{"format", "pt"}});
  CHECK(header.checksum);
  CHECK_THROWS_AS(state::read_safetensors(folder / "x"), RunError);
  bytes.pop_back();
  tests::write_file(folder / "x", bytes);
  CHECK_THROWS_WITH(state::read_safetensors_header(folder / "x"), Contains("/x: is truncated"));
}

TEST_CASE("every bit that flips in a file with a checksum is noticed") {
  const TemporaryFolder folder;
  const std::string bytes = small_file();
  REQUIRE(refusal(folder, bytes) == "");
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    INFO("bit " << bit % 8 << " of byte " << bit / 8);
    CHECK_THAT(refusal(folder, flipped), Catch::Matchers::StartsWith("x.ckpt: "));
  }
}

TEST_CASE("a file that ends too early, wherever, is truncated; one that goes on is damaged") {
  const TemporaryFolder folder;
  for (const std::string& bytes : {small_file(), kGoldenFile}) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      INFO(length << " bytes");
      CHECK_THAT(refusal(folder, bytes.substr(0, length)),
                 Catch::Matchers::StartsWith("x.ckpt: is truncated: "));
    }
    CHECK(refusal(folder, bytes + '\0') == "x.ckpt: is damaged: its tensors take 8 bytes, it has 9 for them");
  }
}

TEST_CASE("damage names both checksums; a file that is none, a folder and a pipe say so") {
  const TemporaryFolder folder;
  std::string bytes = small_file();
  bytes.back() = 'x';
  CHECK_THAT(refusal(folder, bytes),
             Catch::Matchers::Matches(
                 "x.ckpt: is damaged .*: its checksum is [0-9a-f]{8}, that of its bytes [0-9a-f]{8}"));
  CHECK_THAT(refusal(folder, "model: {plugin: digits}\n"), Contains("x.ckpt: is no safetensors file: "));
  CHECK_THROWS_WITH(state::read_safetensors(folder / "no"), Contains("/no: cannot be read: No such file"));
  CHECK_THROWS_WITH(state::read_safetensors(folder.path()), Contains(": is a folder, not a file"));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(state::read_safetensors(folder / "pipe"), Contains("/pipe: is no regular file"));
}
