// Damaged files, full disks: what is not good is never taken for a checkpoint, and never silently.

#include "support/catch.hpp"

#include "e2e/kill_resume/resumed_runs.hpp"

#include <lightrun/error.hpp>

#include <sys/mount.h>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

void write_probe(const fs::path& file, const std::string& trainer, const std::string& more = "") {
  write_file(file,
             "model: {plugin: probe, params: {batches: 4}}\noptimizer: {type: sgd, lr: 1, momentum: 0.5}\n"
             "trainer: {" +
                 trainer + "}\n" + more);
}

/// The bytes of a checkpoint of the real program.
std::string checkpoint_bytes() {
  const TemporaryFolder folder;
  write_probe(folder / "run.yaml", "max_epochs: 1");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
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
    CHECK(refusal(folder / "x.ckpt").find("x.ckpt") != std::string::npos);
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
    CHECK(refusal(folder / "x.ckpt").find("x.ckpt") != std::string::npos);
  }
}

TEST_CASE("a damaged newest checkpoint is named, and auto takes the one before it") {
  const TemporaryFolder folder;
  write_probe(folder / "run.yaml", "max_epochs: 3",
              "callbacks: [{type: model_checkpoint, monitor: null, save_top_k: -1}]\n");
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
  CHECK(last.err.find("last.ckpt: is damaged") != std::string::npos);
  CHECK(last.err.find("the newest good one is runs/run/0/checkpoints/epoch=1-step=8.ckpt") !=
        std::string::npos);
  const Outcome automatic = train(folder, {"--resume", "auto", "--max_epochs", "4"});
  INFO(automatic.err);
  CHECK(automatic.exit_code == 0);
  CHECK(automatic.err.find("last.ckpt: is damaged") != std::string::npos);
  CHECK(automatic.out.find("epoch=1-step=8.ckpt (epoch 2, its end, step 8)") != std::string::npos);
}

TEST_CASE("a full disk ends the run with exit code 5, and every checkpoint that is listed loads") {
  const TemporaryFolder folder;
  const SmallDisk disk(folder / "small", "3m");
  if (!disk.is_there()) {
    WARN("not tested: only root may mount a small disk");
    return;
  }
  write_file(folder / "run.yaml",
             "model: {plugin: probe, params: {batches: 4, buffer_mb: 1}}\noptimizer: {type: sgd, lr: 1}\n"
             "trainer: {max_epochs: 5}\nrun: {dir: small}\n"
             "callbacks: [{type: model_checkpoint, monitor: null, save_top_k: -1}]\n");
  const Outcome outcome = train(folder, {"--quiet"});
  CHECK(outcome.exit_code == 5);
  CHECK(outcome.err.find("No space left on device") != std::string::npos);
  CHECK(outcome.err.find(".ckpt") != std::string::npos);
  const auto checkpoints = folder / "small/run/0/checkpoints";
  const auto files = files_in(checkpoints);
  CHECK_FALSE(files.empty());
  for (const auto& name : files) CHECK(refusal(checkpoints / name).empty());
}

TEST_CASE("a save that fails is tried again where the config says so") {
  const TemporaryFolder folder;
  write_file(folder / "run.yaml",
             "model: {plugin: probe, params: {batches: 40, sleep_ms: 20}}\noptimizer: {type: sgd, lr: 1}\n"
             "trainer: {max_epochs: 1, on_save_error: retry}\n"
             "callbacks: [{type: model_checkpoint, every_n_train_steps: 5}]\n");
  LightrunProcess process(folder.path(), train_words({"--quiet"}));
  const auto checkpoints = run_folder(folder) / "checkpoints";
  REQUIRE(wait_until([&] { return fs::exists(checkpoints / "last.ckpt"); }));
  fs::rename(checkpoints, run_folder(folder) / "away");
  REQUIRE(wait_until(
      [&] { return read_file(run_folder(folder) / "log.txt").find("trying again") != std::string::npos; }));
  fs::rename(run_folder(folder) / "away", checkpoints);
  const Outcome outcome = process.wait();
  CHECK(outcome.exit_code == 0);
  CHECK(step_in(checkpoints / "last.ckpt") == 40);
}

TEST_CASE("python reads what lightrun writes, and lightrun what python writes") {
  const TemporaryFolder folder;
  write_probe(folder / "run.yaml", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string last = "runs/run/0/checkpoints/last.ckpt";
  CHECK(weight_in(folder / last) == -33.4921875);  // momentum 0.5
  for (const char* to : {"weights.safetensors", "weights.pt"})
    CHECK(run_lightrun(folder, {"export", last, "--to", to}).exit_code == 0);
  write_file(folder / "read.py", R"(
import json, struct, sys
import numpy
def read(path):
    data = open(path, 'rb').read()
    length = struct.unpack('<Q', data[:8])[0]
    header = json.loads(data[8:8 + length])
    entry = header['w']
    begin, end = entry['data_offsets']
    assert entry['dtype'] == 'F64', entry
    return numpy.frombuffer(data[8 + length + begin:8 + length + end], '<f8')
for path in sys.argv[1:]:
    assert read(path).tolist() == [-33.4921875], read(path)
)");
  const std::string python = "cd " + folder.path().string() + " && /usr/bin/python3 ";
  CHECK(std::system((python + "read.py " + last + " weights.safetensors").c_str()) == 0);
  if (std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") != 0) {
    WARN("not tested with torch: python3-torch is not installed");
    return;
  }
  write_file(folder / "torch_read.py", R"(
import torch
weights = torch.load('weights.pt')
assert weights['w'].tolist() == [-33.4921875] and weights['w'].dtype == torch.float64, weights
weights['w'] += 100
torch.save(weights, 'changed.pt')
)");
  CHECK(std::system((python + "torch_read.py").c_str()) == 0);
  for (const auto& [file, start] :
       {std::pair("weights.safetensors", -33.4921875), std::pair("changed.pt", 66.5078125)}) {
    const Outcome outcome = train(folder, {"--quiet", "--weights-only", file, "--max_steps", "1"});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(weight_in(newest_run(folder) / "checkpoints/last.ckpt") == start - 1);
  }
}

TEST_CASE("inspect says what is in a file, and whether it is undamaged") {
  const TemporaryFolder folder;
  write_probe(folder / "run.yaml", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string last = "runs/run/0/checkpoints/last.ckpt";
  const Outcome good = run_lightrun(folder, {"inspect", last});
  CHECK(good.exit_code == 0);
  for (const char* part : {"a checkpoint of lightrun; its checksum holds",
                           "after epoch 1 (counted from 0); step 8", "sgd, lr 1", "layer.weight"}) {
    CAPTURE(part);
    CHECK(good.out.find(part) != std::string::npos);
  }
  std::string bytes = read_file(folder / last);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(folder / "damaged.ckpt", bytes);
  const Outcome damaged = run_lightrun(folder, {"inspect", "damaged.ckpt"});
  CHECK(damaged.exit_code == 5);
  CHECK(damaged.err.find("damaged.ckpt") != std::string::npos);
  CHECK(run_lightrun(folder, {"export", last, "--to", "weights.txt"}).exit_code == 2);
}

TEST_CASE("a resume from an older checkpoint goes on in a new folder, and leaves the run as it is") {
  const TemporaryFolder folder;
  write_probe(folder / "run.yaml", "max_epochs: 3",
              "callbacks: [{type: model_checkpoint, monitor: null, save_top_k: -1}]\n");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string rows = read_file(run_folder(folder) / "metrics.csv");
  const std::string last = read_file(checkpoint_file(folder));
  const Outcome fork = train(folder, {"--quiet", "--resume", "runs/run/0/checkpoints/epoch=0-step=4.ckpt"});
  CHECK(fork.exit_code == 0);
  CHECK(fork.err.find("is not the newest checkpoint of its run") != std::string::npos);
  CHECK(read_file(run_folder(folder) / "metrics.csv") == rows);
  CHECK(read_file(checkpoint_file(folder)) == last);
  CHECK(weight_in(run_folder(folder, 1) / "checkpoints/last.ckpt") == weight_in(checkpoint_file(folder)));
  CHECK(rows_without_time(run_folder(folder, 1) / "metrics.csv") ==
        rows_without_time(run_folder(folder) / "metrics.csv"));
}

TEST_CASE("a new run that was killed before its first checkpoint does not hide the one before it") {
  const TemporaryFolder folder;
  write_probe(folder / "run.yaml", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  fs::create_directories(run_folder(folder, 1) / "checkpoints");
  const Outcome outcome = train(folder, {"--quiet", "--resume", "auto", "--max_epochs", "3"});
  CHECK(outcome.exit_code == 0);
  CHECK(
      outcome.err.find("runs/run/1/checkpoints holds no checkpoint: going on with runs/run/0/checkpoints") !=
      std::string::npos);
  CHECK(step_in(checkpoint_file(folder)) == 12);
}

TEST_CASE("last is the newest checkpoint, and a file of the user's own is neither overwritten nor deleted") {
  const TemporaryFolder folder;
  write_probe(folder / "run.yaml", "max_epochs: 2",
              "callbacks: [{type: model_checkpoint, monitor: null, save_top_k: 1, filename: '{epoch}'}]\n");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const auto checkpoints = run_folder(folder) / "checkpoints";
  write_file(checkpoints / "epoch=2.ckpt", "precious");
  fs::remove(checkpoints / "last.ckpt");
  const Outcome outcome = train(folder, {"--quiet", "--resume", "last", "--max_epochs", "4"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.find("last.ckpt is not there: going on from runs/run/0/checkpoints/epoch=1.ckpt") !=
        std::string::npos);
  CHECK(read_file(checkpoints / "epoch=2.ckpt") == "precious");
  CHECK(files_in(checkpoints) == std::vector<std::string>{"epoch=2.ckpt", "epoch=3.ckpt", "last.ckpt"});
}
