// run.folder with what else says where a run is kept.

#include "e2e/faulty_run.hpp"
#include "support/catch.hpp"

using namespace lightrun::tests;
namespace fs = std::filesystem;

TEST_CASE(
    "run.folder and run.checkpoint_dir together: the folder's last part names the checkpoints' folder") {
  for (const std::string name : {"out", "out/", "./out/."}) {
    CAPTURE(name);
    const TemporaryFolder folder;
    const std::vector<std::string> places = {"--run.folder", name, "--run.checkpoint_dir", "ckpt"};
    const auto train = [&](std::vector<std::string> flags) {
      flags.insert(flags.end(), places.begin(), places.end());
      return train_faulty(folder, "{}", flags);
    };
    REQUIRE(train({}).exit_code == 0);
    CHECK(fs::exists(folder / "out/metrics.csv"));
    CHECK(fs::exists(folder / "ckpt/run/out/last.ckpt"));
    CHECK_FALSE(fs::exists(folder / "out/checkpoints"));

    for (const std::string from : {"last", "ckpt/run/out/last.ckpt"}) {
      const Outcome resumed = train({"--resume", from, "--max_epochs", from == "last" ? "5" : "6"});
      CAPTURE(from, resumed.err);
      CHECK(resumed.exit_code == 0);
    }
    CHECK(read_csv(folder / "out/metrics.csv").size() == 30);

    const Outcome other =
        train_faulty(folder, "{}", {"--run.folder", "b/out", "--run.checkpoint_dir", "ckpt"});
    CHECK(other.exit_code == 3);
    CHECK(contains(other.err, "ckpt/run/out is there already, from another run"));
  }
}

TEST_CASE("a fast_dev_run that resumes a complete run says that it has tried nothing") {
  const TemporaryFolder folder;
  REQUIRE(train_faulty(folder, "{}").exit_code == 0);
  const Outcome outcome = train_faulty(folder, "{}", {"--resume", "last", "--fast_dev_run"});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(contains(
      outcome.err,
      "fast_dev_run has tried nothing: runs/run/0/checkpoints/last.ckpt is past its 1 batch already"));
  const Outcome fresh = train_faulty(folder, "{}", {"--fast_dev_run"});
  CHECK_FALSE(contains(fresh.err, "tried nothing"));
}
