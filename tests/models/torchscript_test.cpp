#include "e2e/lightrun_process.hpp"
#include "e2e/safetensors_bytes.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

const std::string kModule = LIGHTRUN_SOURCE_DIR "/configs/data/iris_net.pt";

std::vector<std::string> training(const std::string& run) {
  return {"train",
          shipped_config("iris_torchscript.yaml"),
          "--run.name",
          run,
          "--model.params.path",
          kModule,
          "--data.train.path",
          LIGHTRUN_SOURCE_DIR "/configs/data/iris.csv",
          "--data.val",
          "null",
          "--data.test",
          "null",
          "--data.shuffle",
          "false",
          "--max_epochs",
          "5",
          "--callbacks",
          "[]"};
}

/// The float32 tensors of a safetensors file, flat.
std::map<std::string, std::vector<float>> floats_in(const fs::path& path) {
  const std::string bytes = read_file(path);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  std::map<std::string, std::vector<float>> tensors;
  for (const auto& [name, tensor] : header.items()) {
    if (name == "__metadata__" || tensor.at("dtype") != "F32") continue;
    const auto begin = tensor.at("data_offsets")[0].get<std::size_t>();
    const auto end = tensor.at("data_offsets")[1].get<std::size_t>();
    auto& values = tensors[name];
    values.resize((end - begin) / sizeof(float));
    std::memcpy(values.data(), bytes.data() + 8 + length + begin, end - begin);
  }
  return tensors;
}

}  // namespace

TEST_CASE("a TorchScript module trained here has the weights of the same loop in Python") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, training("same"));
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto ours = floats_in(folder / "runs/same/0/checkpoints/last.ckpt");
  const auto python =
      nlohmann::json::parse(std::ifstream(LIGHTRUN_SOURCE_DIR "/tests/models/data/iris_net_trained.json"));
  for (const auto& [name, expected] : python.items()) {
    if (name == "norm.num_batches_tracked") continue;
    CAPTURE(name);
    REQUIRE(ours.contains(name));
    const auto& values = ours.at(name);
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(std::abs(values[i] - expected[i].get<float>()) < 2e-5);
  }
}

TEST_CASE("of a TorchScript module, only the parameters that are asked for train") {
  const TemporaryFolder folder;
  auto words = training("some");
  words.insert(words.end(), {"--model.params.train", "^out"});
  const Outcome outcome = run_lightrun(folder, words);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto trained = floats_in(folder / "runs/some/0/checkpoints/last.ckpt");
  words = training("none");
  words.insert(words.end(), {"--model.params.train", "^out", "--optimizer.lr", "0"});
  REQUIRE(run_lightrun(folder, words).exit_code == 0);
  const auto untrained = floats_in(folder / "runs/none/0/checkpoints/last.ckpt");
  CHECK(trained.at("hidden.weight") == untrained.at("hidden.weight"));
  CHECK(trained.at("out.weight") != untrained.at("out.weight"));
}

TEST_CASE("a file that is no TorchScript module is a config error that says how to make one") {
  const TemporaryFolder folder;
  std::ofstream(folder / "broken.pt") << "nothing";
  for (const auto& [path, part] :
       {std::pair{"broken.pt", "torch.jit.script"}, {"nowhere.pt", "there is no such file"}}) {
    auto words = training("broken");
    words.insert(words.end(), {"--model.params.path", path});
    const Outcome outcome = run_lightrun(folder, words);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 3);
    CHECK(contains(outcome.err, part));
    CHECK(contains(outcome.err, path));
  }
}
