#include "e2e/lightrun_process.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

/// A folder from which the shipped configs find their data.
void link_configs(const TemporaryFolder& folder) {
  fs::create_directory_symlink(LIGHTRUN_SOURCE_DIR "/configs", folder / "configs");
}

/// The best value that the run of that name has come to.
double best(const TemporaryFolder& folder, const std::string& name, const std::string& metric, bool higher) {
  std::vector<double> values;
  for (const auto& row : read_csv(folder / ("runs/" + name + "/0/metrics.csv")))
    if (const auto& cell = row.at(metric); !cell.empty()) values.push_back(std::stod(cell));
  REQUIRE_FALSE(values.empty());
  return higher ? *std::ranges::max_element(values) : *std::ranges::min_element(values);
}

void train(const TemporaryFolder& folder, const std::string& name, std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(), {"train", "configs/" + name + ".yaml"});
  const Outcome outcome = run_lightrun(folder, flags);
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
}

double test_metric(const TemporaryFolder& folder, const std::string& name, const std::string& metric) {
  const Outcome outcome = run_lightrun(folder, {"test", "configs/" + name + ".yaml", "--checkpoint",
                                                "runs/" + name + "/0/checkpoints/best.ckpt"});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto at = outcome.out.find(metric);
  REQUIRE(at != std::string::npos);
  return std::stod(outcome.out.substr(at + metric.size()));
}

}  // namespace

TEST_CASE("starter.yaml: the classes of random points") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "starter");
  CHECK(best(folder, "starter", "val_acc", true) > 0.85);
}

TEST_CASE("iris.yaml: a class from a csv file's columns") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "iris");
  CHECK(best(folder, "iris", "val_acc", true) > 0.9);
  CHECK(test_metric(folder, "iris", "test_acc") > 0.85);
}

TEST_CASE("flats.yaml: a number from numbers, categories and missing values") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "flats");
  // The noise alone has a mean error of 20; rents have a deviation of 400.
  CHECK(best(folder, "flats", "val_mae", false) < 60);
  CHECK(test_metric(folder, "flats", "test_mae") < 70);
}

TEST_CASE("char_lstm.yaml: an LSTM learns to spell, by truncated back-propagation through time") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "char_lstm", {"--max_epochs", "8"});
  // A uniform guess over the 90 or so characters costs 4.5, their frequencies alone 3.1.
  CHECK(best(folder, "char_lstm", "val_loss", false) < 2.3);
}

TEST_CASE("tiny_gpt.yaml: a transformer learns to spell; bf16 too") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "tiny_gpt", {"--max_epochs", "3"});
  CHECK(best(folder, "tiny_gpt", "val_loss", false) < 2.6);
  train(folder, "tiny_gpt",
        {"--max_epochs", "1", "--precision", "bf16", "--run.name", "bf16", "--limit_train_batches", "8"});
  CHECK(best(folder, "bf16", "val_loss", false) < 4.2);
}

TEST_CASE("gan.yaml: drawings come nearer to the images") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "gan");
  // Grey noise is 0.3 away.
  CHECK(best(folder, "gan", "val_mean_error", false) < 0.1);
}

TEST_CASE("autoencoder.yaml: images through 16 numbers") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "autoencoder");
  // The mean image alone has an error of 0.075.
  CHECK(best(folder, "autoencoder", "val_loss", false) < 0.03);
}

TEST_CASE("iris_torchscript.yaml: a module exported from Python") {
  const TemporaryFolder folder;
  link_configs(folder);
  train(folder, "iris_torchscript");
  CHECK(best(folder, "iris_torchscript", "val_acc", true) > 0.9);
}
