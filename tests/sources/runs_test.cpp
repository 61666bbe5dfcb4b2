// Sources in runs of the real executable.

#include "e2e/lightrun_process.hpp"
#include "sources/image_files.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace lightrun::tests;

namespace {

std::string rows_from(int first, int last, int scale) {
  std::string text = "x,kind\n";
  for (int i = first; i < last; ++i) text += std::to_string(i * scale) + (i % 3 == 0 ? ",cat\n" : ",dog\n");
  return text;
}

/// The lines of the printed table.
std::string results_in(const std::string& out) {
  std::string text;
  for (const std::string& line : lines_of(out))
    if (contains(line, "test_")) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("a damaged image ends the run where the loop comes to it, with its path, whoever has read it") {
  for (const char* workers : {"0", "3"}) {
    INFO(workers << " workers");
    const TemporaryFolder folder;
    for (int i = 0; i < 8; ++i)
      write_plain_png(folder.path() / "images/a" / (std::to_string(i) + ".png"), {10 * i, 0, 0}, 4, 4);
    write_file(folder / "images/a/5.png", read_file(folder / "images/a/5.png").substr(0, 50));
    write_file(folder / "run.yaml",
               "model: {plugin: autoencoder, params: {hidden: 4, code: 2}}\noptimizer: {type: sgd, lr: 0.1}\n"
               "trainer: {max_epochs: 1, log_every_n_steps: 1}\n"
               "data: {batch_size: 1, shuffle: false, train: {source: image_folder, path: images}}\n");
    const Outcome outcome = run_lightrun(folder, {"train", "run.yaml", "--data.workers", workers});
    CHECK(outcome.exit_code == 5);
    CHECK(contains(outcome.err, "images/a/5.png: is no readable PNG: "));
    CHECK(contains(outcome.err, "reading the training data failed at epoch 0, "));
    CHECK(contains(outcome.err, ", step 5 "));
  }
}

TEST_CASE("a test normalizes as the checkpoint's training did, whatever the training file is now") {
  const TemporaryFolder folder;
  write_file(folder / "train.csv", rows_from(0, 30, 1));
  write_file(folder / "test.csv", rows_from(30, 45, 1));
  write_file(folder / "run.yaml",
             "model: {plugin: tabular, params: {hidden: [4]}}\noptimizer: {type: adam, lr: 0.05}\n"
             "trainer: {max_epochs: 3}\n"
             "data:\n  normalize: standard\n  train: {source: csv, path: train.csv, target: [kind]}\n"
             "  test: {source: csv, path: test.csv, target: [kind]}\n");
  const Outcome trained = run_lightrun(folder, {"train", "run.yaml"});
  INFO(trained.err);
  REQUIRE(trained.exit_code == 0);
  const std::vector<std::string> test = {"test", "run.yaml", "--checkpoint",
                                         "runs/run/0/checkpoints/last.ckpt"};
  const Outcome before = run_lightrun(folder, test);
  INFO(before.err);
  REQUIRE(before.exit_code == 0);
  CHECK(contains(results_in(before.out), "test_loss"));
  write_file(folder / "train.csv", rows_from(0, 30, 1000));
  const Outcome after = run_lightrun(folder, test);
  CHECK(after.exit_code == 0);
  CHECK(results_in(after.out) == results_in(before.out));
  write_file(folder / "test.csv", rows_from(30, 45, 1) + "7,yak\n");
  const Outcome unseen = run_lightrun(folder, test);
  CHECK(unseen.exit_code == 5);
  CHECK(contains(unseen.err,
                 "test.csv: row 17, column kind: class 'yak' is not among those of the training data"));
}
