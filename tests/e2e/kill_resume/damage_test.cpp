// Damaged files, full disks: what is not good is never taken for a checkpoint, and never silently.

#include "support/catch.hpp"

#include "e2e/kill_resume/resumed_runs.hpp"

#include <lightrun/error.hpp>

#include <sys/mount.h>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

/// The bytes of a checkpoint of the real program.
std::string checkpoint_bytes() {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 1");
  REQUIRE(train(folder, {"--quiet", "--optimizer.momentum", "0.5"}).exit_code == 0);
  return read_file(checkpoint_file(folder));
}

/// What reading the file is refused with; "" where it is read.
std::string refusal(const fs::path& path) {
  try {
    static_cast<void>(lightrun::state::read_checkpoint(path));
    return "";
  } catch (const lightrun::RunError& error) {
    return error.what();
  }
}

/// A file system of its own that is full soon.
class SmallDisk {
 public:
  SmallDisk(const fs::path& folder, const std::string& size) : folder_(folder) {
    fs::create_directories(folder);
    mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool is_there() const { return mounted_; }

 private:
  fs::path folder_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("a checkpoint with one changed byte is refused, 1000 times") {
  const std::string bytes = checkpoint_bytes();
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = bytes;
    const std::size_t place = random() % damaged.size();
    damaged[place] = static_cast<char>(damaged[place] ^ static_cast<char>(1 + random() % 255));
    write_file(folder / "x.ckpt", damaged);
    CAPTURE(place);
    CHECK(contains(refusal(folder / "x.ckpt"), "x.ckpt"));
  }
}

TEST_CASE("a truncated checkpoint is refused, 1000 times") {
  const std::string bytes = checkpoint_bytes();
  const TemporaryFolder folder;
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::size_t length = random() % bytes.size();
    write_file(folder / "x.ckpt", bytes.substr(0, length));
    CAPTURE(length);
    CHECK(contains(refusal(folder / "x.ckpt"), "x.ckpt"));
  }
}

TEST_CASE("a damaged newest checkpoint is named, and auto takes the one before it") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 3", model_checkpoint("monitor: null, save_top_k: -1"));
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const auto checkpoints = run_folder(folder) / "checkpoints";
  REQUIRE(files_in(checkpoints) == std::vector<std::string>{"epoch=0-step=4.ckpt", "epoch=1-step=8.ckpt",
                                                            "epoch=2-step=12.ckpt", "last.ckpt"});
  for (const char* name : {"last.ckpt", "epoch=2-step=12.ckpt"}) {
    std::string bytes = read_file(checkpoints / name);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    write_file(checkpoints / name, bytes);
  }
  const Outcome last = train(folder, {"--resume", "last"});
  CHECK(last.exit_code == 5);
  CHECK(contains(last.err, "last.ckpt: is damaged"));
  CHECK(contains(last.err, "the newest good one is runs/run/0/checkpoints/epoch=1-step=8.ckpt"));
  const Outcome automatic = train(folder, {"--resume", "auto", "--max_epochs", "4"});
  INFO(automatic.err);
  CHECK(automatic.exit_code == 0);
  CHECK(contains(automatic.err, "last.ckpt: is damaged"));
  CHECK(contains(automatic.out, "epoch=1-step=8.ckpt (epoch 2, its end, step 8)"));
}

TEST_CASE("a full disk ends the run with exit code 5, and every checkpoint that is listed loads") {
  const TemporaryFolder folder;
  const SmallDisk disk(folder / "small", "3m");
  if (!disk.is_there()) {
    WARN("not tested: only root may mount a small disk");
    return;
  }
  write_probe(folder, "batches: 4, buffer_mb: 1", "max_epochs: 5",
              "run: {dir: small}\n" + model_checkpoint("monitor: null, save_top_k: -1"));
  const Outcome outcome = train(folder, {"--quiet"});
  CHECK(outcome.exit_code == 5);
  CHECK(contains(outcome.err, "No space left on device"));
  CHECK(contains(outcome.err, ".ckpt"));
  const auto checkpoints = folder / "small/run/0/checkpoints";
  const auto files = files_in(checkpoints);
  CHECK_FALSE(files.empty());
  for (const auto& name : files) CHECK(refusal(checkpoints / name).empty());
}

TEST_CASE("a save that fails is tried again where the config says so") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 40, sleep_ms: 20", "max_epochs: 1, on_save_error: retry",
              model_checkpoint("every_n_train_steps: 5"));
  LightrunProcess process(folder.path(), train_words({"--quiet"}));
  const auto checkpoints = run_folder(folder) / "checkpoints";
  REQUIRE(wait_until([&] { return fs::exists(checkpoints / "last.ckpt"); }));
  fs::rename(checkpoints, run_folder(folder) / "away");
  REQUIRE(wait_until([&] { return contains(read_file(run_folder(folder) / "log.txt"), "trying again"); }));
  fs::rename(run_folder(folder) / "away", checkpoints);
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 0);
  CHECK(step_in(checkpoints / "last.ckpt") == 40);
}
