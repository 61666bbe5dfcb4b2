#include "e2e/lightrun_process.hpp"
#include "e2e/safetensors_bytes.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

double best_of(const std::vector<std::map<std::string, std::string>>& rows, const std::string& column) {
  double best = 0;
  for (const auto& row : rows) {
    if (!row.at(column).empty()) best = std::max(best, std::stod(row.at(column)));
  }
  return best;
}

/// metrics.csv without the one column that differs between equal runs.
std::vector<std::map<std::string, std::string>> without_times(const fs::path& path) {
  auto rows = read_csv(path);
  for (auto& row : rows) row.erase("time_s");
  return rows;
}

}  // namespace

TEST_CASE("the digits learn: validation accuracy over 0.97") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"train", shipped_config("digits.yaml")});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const fs::path run = folder / "runs/digits/0";
  const auto rows = read_csv(run / "metrics.csv");
  CHECK(best_of(rows, "val_acc") > 0.97);
  for (const char* file : {"config.yaml", "log.txt", "checkpoints/last.ckpt", "checkpoints/best.ckpt"}) {
    CAPTURE(file);
    CHECK(fs::file_size(run / file) > 0);
  }
  CHECK(outcome.err.empty());
}

TEST_CASE("the small convolutional network learns too") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"train", shipped_config("digits_cnn.yaml")});
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(best_of(read_csv(folder / "runs/digits_cnn/0/metrics.csv"), "val_acc") > 0.97);
}

TEST_CASE("flags override the file, in each of their forms") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs", "2",
                                                "--trainer.gradient_clip_val=0.5", "--run-name", "short"});
  CAPTURE(outcome.out, outcome.err);
  // `--run-name` is no such flag: `-` stands for `_`, not for `.`.
  CHECK(outcome.exit_code == 2);
  const Outcome right = run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max-epochs", "2",
                                              "--trainer.gradient_clip_val=0.5", "--run.name", "short"});
  CAPTURE(right.out, right.err);
  REQUIRE(right.exit_code == 0);
  const std::string config = read_file(folder / "runs/short/0/config.yaml");
  CHECK(config.find("max_epochs: 2\n") != std::string::npos);
  CHECK(config.find("gradient_clip_val: 0.5\n") != std::string::npos);
  CHECK(read_csv(folder / "runs/short/0/metrics.csv").back().at("epoch") == "1");
}

TEST_CASE("the same seed gives the same metrics and the same bits") {
  const TemporaryFolder folder;
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs=3"});
    REQUIRE(outcome.exit_code == 0);
  }
  const fs::path runs = folder / "runs/digits";
  CHECK(without_times(runs / "0/metrics.csv") == without_times(runs / "1/metrics.csv"));
  for (const char* name : {"last.ckpt", "best.ckpt"}) {
    CHECK((tensor_bytes(runs / "0/checkpoints" / name) == tensor_bytes(runs / "1/checkpoints" / name)));
  }
  REQUIRE(run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs=3", "--seed=2"})
              .exit_code == 0);
  CHECK(without_times(runs / "0/metrics.csv") != without_times(runs / "2/metrics.csv"));
}

TEST_CASE("H36: the saved config trains the same run") {
  const TemporaryFolder folder;
  REQUIRE(run_lightrun(folder,
                       {"train", shipped_config("digits.yaml"), "--max_epochs=2", "--optimizer.lr", "1e-3"})
              .exit_code == 0);
  const fs::path runs = folder / "runs/digits";
  REQUIRE(run_lightrun(folder, {"train", (runs / "0/config.yaml").string()}).exit_code == 0);
  CHECK(read_file(runs / "0/config.yaml") == read_file(runs / "1/config.yaml"));
  CHECK(without_times(runs / "0/metrics.csv") == without_times(runs / "1/metrics.csv"));
}

TEST_CASE("where the output is no terminal there are plain lines only") {
  const TemporaryFolder folder;
  const Outcome outcome = run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs=3"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.find('\r') == std::string::npos);
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  for (const char* epoch : {"epoch 1/3", "epoch 2/3", "epoch 3/3"}) {
    CAPTURE(outcome.out);
    CHECK(outcome.out.find(epoch) != std::string::npos);
  }
}

TEST_CASE("a quiet run prints nothing, a fast_dev_run writes nothing") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--quiet", "--fast_dev_run=true"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.empty());
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("H25: eight runs started together have eight whole folders") {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<TemporaryFolder>> places;
  std::vector<std::unique_ptr<LightrunProcess>> processes;
  for (int i = 0; i < 8; ++i) {
    places.push_back(std::make_unique<TemporaryFolder>());
    processes.push_back(std::make_unique<LightrunProcess>(
        places.back()->path(),
        std::vector<std::string>{"train", shipped_config("digits.yaml"), "--max_epochs=1", "--run.dir",
                                 (folder / "runs").string()}));
  }
  for (auto& process : processes) CHECK(process->wait().exit_code == 0);
  for (int i = 0; i < 8; ++i) {
    const fs::path run = folder / "runs/digits" / std::to_string(i);
    CHECK(fs::exists(run / "checkpoints/last.ckpt"));
    CHECK_FALSE(read_csv(run / "metrics.csv").empty());
  }
}
