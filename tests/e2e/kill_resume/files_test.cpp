// The files of checkpoints: which there are, what is in them, who else reads them.

#include "support/catch.hpp"

#include "e2e/kill_resume/resumed_runs.hpp"

using namespace lightrun::tests;
namespace fs = std::filesystem;

TEST_CASE("python reads what lightrun writes, and lightrun what python writes") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string last = "runs/run/0/checkpoints/last.ckpt";
  CHECK(weight_in(folder / last) == -20);
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
    assert read(path).tolist() == [-20.0], read(path)
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
assert weights['w'].tolist() == [-20.0] and weights['w'].dtype == torch.float64, weights
weights['w'] += 100
torch.save(weights, 'changed.pt')
)");
  CHECK(std::system((python + "torch_read.py").c_str()) == 0);
  for (const auto& [file, start] : {std::pair("weights.safetensors", -20.0), std::pair("changed.pt", 80.0)}) {
    const Outcome outcome = train(folder, {"--quiet", "--weights-only", file, "--max_steps", "1"});
    INFO(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(weight_in(newest_run(folder) / "checkpoints/last.ckpt") == start - 1);
  }
}

TEST_CASE("inspect says what is in a file, and whether it is undamaged") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 4", "max_epochs: 2");
  REQUIRE(train(folder, {"--quiet"}).exit_code == 0);
  const std::string last = "runs/run/0/checkpoints/last.ckpt";
  const Outcome good = run_lightrun(folder, {"inspect", last});
  CHECK(good.exit_code == 0);
  for (const char* part : {"a checkpoint of lightrun; its checksum holds",
                           "after epoch 1 (counted from 0); step 8", "sgd, lr 1", "layer.weight"}) {
    CAPTURE(part);
    CHECK(contains(good.out, part));
  }
  std::string bytes = read_file(folder / last);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(folder / "damaged.ckpt", bytes);
  const Outcome damaged = run_lightrun(folder, {"inspect", "damaged.ckpt"});
  CHECK(damaged.exit_code == 5);
  CHECK(contains(damaged.err, "damaged.ckpt"));
  CHECK(run_lightrun(folder, {"export", last, "--to", "weights.txt"}).exit_code == 2);
}

TEST_CASE("save_on_exception and save_on_signal can be switched off") {
  const auto keeps_last = [](const std::string& callback, int signal) {
    const TemporaryFolder folder;
    write_file(folder / "run.yaml",
               "model: {plugin: faulty, params: {throw_at: 20, sleep_ms: 20, batches: 100}}\n"
               "optimizer: {type: sgd, lr: 1}\ntrainer: {log_every_n_steps: 1}\n" +
                   model_checkpoint(callback));
    LightrunProcess process(folder.path(), train_words({"--quiet"}));
    const auto rows = run_folder(folder) / "metrics.csv";
    REQUIRE(wait_until([&] { return fs::exists(rows) && lines_of(read_file(rows)).size() > 3; }));
    if (signal != 0) process.signal(signal);
    CHECK(process.wait().exit_code == (signal == 0 ? 5 : 128 + signal));
    return fs::exists(checkpoint_file(folder));
  };
  CHECK(keeps_last("save_last: true", 0));
  CHECK(keeps_last("save_last: true", SIGTERM));
  CHECK_FALSE(keeps_last("save_on_exception: false", 0));
  CHECK_FALSE(keeps_last("save_on_signal: false", SIGTERM));
}

TEST_CASE("a metric in the file's name that nobody logs is named, once") {
  const TemporaryFolder folder;
  write_probe(folder, "batches: 2, val_losses: [0.5, 0.4]", "max_epochs: 2, num_sanity_val_steps: 0",
              model_checkpoint("save_top_k: -1, filename: '{epoch}-{val_los}'"));
  const Outcome outcome = train(folder, {"--quiet"});
  CHECK(outcome.exit_code == 0);
  const auto lines = lines_of(outcome.err);
  REQUIRE(lines.size() == 1);
  CHECK(contains(lines[0], "run.yaml:4:"));
  CHECK(contains(lines[0], "callbacks.0.filename: no metric 'val_los' was logged (did you mean val_loss?)"));
  CHECK(files_in(run_folder(folder) / "checkpoints") ==
        std::vector<std::string>{"epoch=0-val_los=nan.ckpt", "epoch=1-val_los=nan.ckpt", "last.ckpt"});
}
