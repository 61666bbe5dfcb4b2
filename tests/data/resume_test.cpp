// A run is stopped in the middle of an epoch, and goes on with another number of workers.

#include "e2e/lightrun_process.hpp"
#include "state/safetensors.hpp"
#include "support/catch.hpp"

#include <torch/types.h>

using namespace lightrun::tests;

namespace {

/// Shuffled samples, dropout, and the ids that training sees in ids.txt.
Outcome train_shuffled(const TemporaryFolder& folder, const std::vector<std::string>& flags) {
  write_file(folder / "run.yaml",
             "model: {plugin: shuffled}\noptimizer: {type: sgd, lr: 0.1}\ntrainer: {max_epochs: 3}\n"
             "data: {batch_size: 2}\n");
  std::vector<std::string> words = {"train", "run.yaml", "--plugin-dir",
                                    LIGHTRUN_BUILD_DIR "/tests/plugins/e2e"};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_lightrun(folder, words);
}

torch::Tensor trained_weight(const TemporaryFolder& folder) {
  return lightrun::state::read_safetensors(folder / "runs/run/0/checkpoints/last.ckpt").tensors.at("w");
}

}  // namespace

TEST_CASE("a run resumed in mid-epoch with workers gives the bits of one that was never stopped") {
  const TemporaryFolder whole;
  REQUIRE(train_shuffled(whole, {}).exit_code == 0);
  const TemporaryFolder parts;
  REQUIRE(train_shuffled(parts, {"--max_steps", "14", "--data.workers", "3"}).exit_code == 0);
  CHECK(read_file(parts / "ids.txt") != read_file(whole / "ids.txt"));
  const Outcome resumed = train_shuffled(parts, {"--resume", "last", "--data.workers", "2"});
  REQUIRE(resumed.exit_code == 0);
  CHECK_FALSE(contains(resumed.out + resumed.err, "workers"));
  CHECK(read_file(parts / "ids.txt") == read_file(whole / "ids.txt"));
  CHECK(trained_weight(parts).equal(trained_weight(whole)));
}
