#include "report/checkpoints.hpp"

#include "report/run_folders.hpp"
#include "state/checkpoint.hpp"
#include "support/catch.hpp"

#include <torch/types.h>

using namespace lightrun;
using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

/// A checkpoint after `steps` steps of one batch of 32 samples each.
state::Checkpoint checkpoint_after(int64_t steps) {
  state::Checkpoint checkpoint;
  checkpoint.run.epoch = 2;
  checkpoint.run.global_step = checkpoint.run.batches_seen = steps;
  checkpoint.run.samples_seen = 32 * steps;
  checkpoint.run.seconds = 1.5;
  checkpoint.weights = {{"w", torch::ones({1})}};
  checkpoint.model = "tiny";
  checkpoint.environment = {{"torch threads", "1"}};
  return checkpoint;
}

StateDict kept(const std::string& best, double best_value) {
  StateDict state;
  state.set("kept", std::vector<std::string>{"a", "b", "gone"});
  state.set("values", std::vector<double>{0.5, 0.75, 0.25});
  state.set("best_file", best);
  state.set("best_value", best_value);
  return state;
}

void write(const fs::path& path, const state::Checkpoint& checkpoint) {
  state::write_checkpoint(path, state::encode(checkpoint));
}

}  // namespace

TEST_CASE("checkpoints are listed by steps, and the latest one says which is best") {
  const TemporaryFolder folder;
  state::Checkpoint last = checkpoint_after(30);
  last.callbacks = {{"early_stopping val_loss min", StateDict()},
                    {"model_checkpoint val_acc max", kept("b.ckpt", 0.75)}};
  state::Checkpoint earlier = checkpoint_after(20);
  earlier.callbacks = {{"model_checkpoint val_acc max", kept("a.ckpt", 0.5)}};
  write(folder / "last.ckpt", last);
  write(folder / "b.ckpt", earlier);
  write(folder / "a.ckpt", checkpoint_after(10));
  const report::Checkpoints found = report::read_checkpoints(folder.path());
  REQUIRE(found.marks.size() == 3);
  CHECK(found.marks[0].file == "a.ckpt");
  CHECK(found.marks[0].steps == 10);
  CHECK(found.marks[0].epoch == 2);
  CHECK(found.marks[0].seconds == 1.5);
  CHECK_FALSE(found.marks[0].is_best);
  CHECK(found.marks[0].value == 0.5);
  CHECK(found.marks[1].file == "b.ckpt");
  CHECK(found.marks[1].is_best);
  CHECK(found.marks[1].monitor == "val_acc");
  CHECK(found.marks[1].value == 0.75);
  CHECK(found.marks[2].file == "last.ckpt");
  CHECK_FALSE(found.marks[2].value);
  CHECK(found.higher_better == std::map<std::string, bool, std::less<>>{{"val_acc", true}});
  CHECK(found.samples_per_step == 32);
  CHECK(found.model == "tiny");
  CHECK(found.environment == std::map<std::string, std::string>{{"torch threads", "1"}});
  CHECK(found.problems.empty());
}

TEST_CASE("a checkpoint kept without a metric is none of the best") {
  const TemporaryFolder folder;
  state::Checkpoint last = checkpoint_after(30);
  last.callbacks = {{"model_checkpoint", kept("a.ckpt", 3)}};
  write(folder / "a.ckpt", last);
  const report::Checkpoints found = report::read_checkpoints(folder.path());
  REQUIRE(found.marks.size() == 1);
  CHECK_FALSE(found.marks[0].is_best);
  CHECK_FALSE(found.marks[0].value);
  CHECK(found.higher_better.empty());
}

TEST_CASE("damaged files are problems, temporary ones and others are left alone") {
  const TemporaryFolder folder;
  write(folder / "good.ckpt", checkpoint_after(1));
  write_file(folder / "bad.ckpt", "bad");
  write_file(folder / ".last.ckpt.tmp-17", "half");
  write_file(folder / "note.txt", "");
  const report::Checkpoints found = report::read_checkpoints(folder.path());
  CHECK(found.marks.size() == 1);
  REQUIRE(found.problems.size() == 1);
  CHECK_THAT(found.problems[0], Catch::Matchers::StartsWith((folder / "bad.ckpt").string()));
  CHECK(report::read_checkpoints(folder / "nowhere").marks.empty());
}
