#include "state/safetensors.hpp"

#include "support/catch.hpp"

#include <lightrun/error.hpp>

#include <nlohmann/json.hpp>

#include <cstring>
#include <sstream>

using namespace lightrun;

namespace {

struct File {
  nlohmann::json header;
  std::string data;
};

File written(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  std::ostringstream out;
  state::write_safetensors(out, tensors, {{"format", "pt"}});
  const std::string bytes = out.str();
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return {nlohmann::json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

}  // namespace

TEST_CASE("a tensor's bytes stand where its entry says, row by row") {
  const auto transposed = torch::tensor({{1.f, 2.f}, {3.f, 4.f}}).t();
  const File file = written({{"w", transposed}, {"n", torch::tensor({7}, torch::kInt64)}});
  CHECK(file.header["__metadata__"]["format"] == "pt");
  CHECK(file.header["n"] == nlohmann::json({{"dtype", "I64"}, {"shape", {1}}, {"data_offsets", {0, 8}}}));
  CHECK(file.header["w"] == nlohmann::json({{"dtype", "F32"}, {"shape", {2, 2}}, {"data_offsets", {8, 24}}}));
  const float expected[] = {1, 3, 2, 4};
  REQUIRE(file.data.size() == 24);
  CHECK(std::memcmp(file.data.data() + 8, expected, sizeof expected) == 0);
}

TEST_CASE("a view saves its own values only, a scalar has no shape") {
  const auto base = torch::arange(1000, torch::kFloat64);
  const File file =
      written({{"view", base.narrow(0, 10, 2)}, {"scalar", torch::tensor(1.5, torch::kFloat64)}});
  CHECK(file.data.size() == 3 * 8);
  CHECK(file.header["scalar"]["shape"] == nlohmann::json::array());
}

TEST_CASE("two tensors of one name, and a type the format lacks, are refused") {
  CHECK_THROWS_AS(written({{"a", torch::zeros({1})}, {"a", torch::zeros({1})}}), RunError);
  CHECK_THROWS_AS(written({{"a", torch::zeros({1}, torch::kComplexDouble)}}), RunError);
}
