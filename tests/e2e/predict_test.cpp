// lightrun predict: a real model trained on a real file, and what it says of another one.

#include "e2e/faulty_run.hpp"
#include "e2e/safetensors_bytes.hpp"
#include "e2e/terminal_run.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

/// A row of the table: what it is follows from its numbers and its colour, but for every seventh, which is a
/// surprise to any model.
std::string table_row(int i, bool has_kind) {
  static const char* const kColours[] = {"red", "green", "blue"};
  static const char* const kKinds[] = {"large", "small", "tiny"};
  const int colour = i * 5 % 3;
  const int kind = (colour + (i % 7 == 6 ? 1 : 0)) % 3;
  const std::string text =
      std::to_string(i % 11 * 100) + ',' + std::to_string(0.5 * (i % 4)) + ',' + kColours[colour];
  return has_kind ? text + ',' + kKinds[kind] + '\n' : text + '\n';
}

std::string table(int begin, int end, bool has_kind = true) {
  std::string text = has_kind ? "length,width,colour,kind\n" : "length,width,colour\n";
  for (int i = begin; i < end; ++i) text += table_row(i, has_kind);
  return text;
}

/// A classifier of tables, trained; 21 rows to test it on, in batches of 8, 8 and 5.
class TrainedTable {
 public:
  TrainedTable() {
    write_file(folder / "train.csv", table(0, 70));
    write_file(folder / "test.csv", table(100, 121));
    write_file(
        folder / "run.yaml",
        "seed: 3\nmodel: {plugin: tabular, params: {hidden: [16]}}\n"
        "data:\n  batch_size: 8\n  train: {source: csv, path: train.csv, target: [kind]}\n"
        "  test: {source: csv, path: test.csv, target: [kind]}\n  normalize: standard\n"
        "run: {folder: run}\nloggers: []\ntrainer: {max_epochs: 8}\noptimizer: {type: adam, lr: 0.05}\n");
    const Outcome outcome = run_lightrun(folder, {"train", "run.yaml", "--quiet"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
  }

  /// lightrun test, or predict.
  [[nodiscard]] Outcome run(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {command, "run.yaml", "--checkpoint", "run/checkpoints/last.ckpt"};
    words.insert(words.end(), more.begin(), more.end());
    return run_lightrun(folder, words);
  }
  void predict(const std::vector<std::string>& more) const {
    const Outcome outcome = run("predict", more);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
  }

  TemporaryFolder folder;
};

template <typename Number>
std::vector<Number> numbers_in(const std::string& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

/// The values of a .npy file, whose header numpy has checked or another test.
template <typename Number>
std::vector<Number> npy_numbers(const fs::path& path) {
  const std::string file = read_file(path);
  const auto header = static_cast<std::size_t>(static_cast<unsigned char>(file.at(8))) +
                      256 * static_cast<std::size_t>(static_cast<unsigned char>(file.at(9)));
  return numbers_in<Number>(file.substr(10 + header));
}

double metric_in(const std::string& text, const std::string& name) {
  for (const std::string& line : lines_of(text))
    if (line.starts_with(name)) return std::stod(line.substr(line.rfind(' ')));
  FAIL("no " << name << " in: " << text);
  return 0;
}

/// An image [1, 2, 2] a number, in numpy's format.
void write_images(const fs::path& path, const std::vector<float>& numbers) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(numbers.size()) + ", 1, 2, 2), }";
  header.resize(117, ' ');
  std::string file = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n';
  for (const float number : numbers)
    for (int pixel = 0; pixel < 4; ++pixel)
      file.append(reinterpret_cast<const char*>(&number), sizeof number);
  write_file(path, file);
}

}  // namespace

TEST_CASE("predictions agree in csv, npy and safetensors, and with what lightrun test measures") {
  const TrainedTable table;
  const fs::path folder = table.folder.path();
  const Outcome csv = table.run("predict", {"--out", "p.csv"});
  CAPTURE(csv.err);
  REQUIRE(csv.exit_code == 0);
  CHECK(lines_of(csv.out).back() == "p.csv: 21 rows of prediction, probability");
  const auto rows = read_csv(folder / "p.csv");
  const auto truth = read_csv(folder / "test.csv");
  REQUIRE(rows.size() == 21);
  CHECK(lines_of(read_file(folder / "p.csv")).front() ==
        "prediction,probability.large,probability.small,probability.tiny");
  int right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    right += rows[i].at("prediction") == truth[i].at("kind") ? 1 : 0;
  CHECK(metric_in(table.run("test", {}).out, "test_acc") == Approx(right / 21.).margin(1e-4));
  CHECK(right < 21);
  CHECK(right > 10);

  table.predict({"--out", "p.npy", "--field", "probability", "--quiet"});
  table.predict({"--out", "p.safetensors"});
  const auto tensors = tensor_bytes(folder / "p.safetensors");
  const auto probabilities = numbers_in<float>(tensors.at("probability"));
  const auto classes = numbers_in<int64_t>(tensors.at("prediction"));
  CHECK(npy_numbers<float>(folder / "p.npy") == probabilities);
  REQUIRE(probabilities.size() == 63);
  REQUIRE(classes.size() == 21);
  const std::vector<std::string> kinds = {"large", "small", "tiny"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].at("prediction") == kinds.at(static_cast<std::size_t>(classes[i])));
    for (std::size_t k = 0; k < kinds.size(); ++k)
      CHECK(std::strtof(rows[i].at("probability." + kinds[k]).c_str(), nullptr) == probabilities[3 * i + k]);
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("numpy reads a .npy file of predictions") {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
    WARN("not tested with numpy: python3-numpy is not installed");
    return;
  }
  const TrainedTable table;
  table.predict({"--out", "c.npy", "--field", "prediction"});
  table.predict({"--out", "p.npy", "--field", "probability"});
  write_file(table.folder / "read.py",
             "import numpy\nc, p = numpy.load('c.npy'), numpy.load('p.npy')\n"
             "assert c.dtype == numpy.int64 and c.shape == (21,), (c.dtype, c.shape)\n"
             "assert p.dtype == numpy.float32 and p.shape == (21, 3), (p.dtype, p.shape)\n"
             "assert (p.argmax(1) == c).all() and abs(p.sum(1) - 1).max() < 1e-6\n");
  const std::string python = "cd " + table.folder.path().string() + " && /usr/bin/python3 read.py";
  CHECK(std::system(python.c_str()) == 0);
}

TEST_CASE("predict knows normalization, categories and classes from the checkpoint, and needs no target") {
  const TrainedTable trained;
  const fs::path folder = trained.folder.path();
  trained.predict({"--out", "before.csv"});
  const std::string before = read_file(folder / "before.csv");
  // Other means, deviations, categories: whoever learned from this would predict something else.
  write_file(folder / "train.csv",
             "length,width,colour,kind\n5,100,amber,small\n7,-100,red,tiny\n9,4,green,small\n");
  trained.predict({"--out", "after.csv"});
  CHECK(read_file(folder / "after.csv") == before);

  write_file(folder / "new.csv", table(100, 121, /*has_kind=*/false));
  trained.predict({"--out", "new_out.csv", "--data.predict", "{source: csv, path: new.csv}"});
  CHECK(read_file(folder / "new_out.csv") == before);
  trained.predict({"--out", "one.csv", "--data.predict", "{source: csv, path: new.csv}", "--data.drop_last",
                   "true", "--limit_predict_batches", "2", "--overwrite"});
  const auto lines = lines_of(before);
  CHECK(lines_of(read_file(folder / "one.csv")) ==
        std::vector<std::string>(lines.begin(), lines.begin() + 1 + 2 * 8));
  trained.predict({"--out", "all.csv", "--data.drop_last", "true", "--data.shuffle", "true"});
  CHECK(read_file(folder / "all.csv") == before);
}

TEST_CASE("predict has the hooks of a test, with predict for it") {
  const TrainedTable table;
  table.predict({"--out", "p.csv", "--limit_predict_batches", "2", "--trace", "t.jsonl"});
  std::vector<std::string> hooks;
  for (const std::string& line : lines_of(read_file(table.folder / "t.jsonl"))) {
    const auto event = nlohmann::json::parse(line);
    if (event["who"] == "callback" || event["hook"] == "predict_step")
      hooks.push_back(event["hook"].get<std::string>());
  }
  CHECK(hooks ==
        std::vector<std::string>{"on_fit_start", "setup", "on_pretrain_routine_start",
                                 "on_pretrain_routine_end", "on_predict_start", "on_predict_epoch_start",  //
                                 "on_predict_batch_start", "predict_step", "on_predict_batch_end",         //
                                 "on_predict_batch_start", "predict_step", "on_predict_batch_end",         //
                                 "on_predict_epoch_end", "on_predict_end", "on_fit_end", "teardown"});
}

TEST_CASE("what is wrong with predict is said, and no file is made or lost") {
  const TrainedTable table;
  const fs::path folder = table.folder.path();
  write_file(folder / "old.csv", "mine");
  const auto files = table.folder.names();
  const auto refused = [&](int code, const std::string& why, const std::vector<std::string>& more) {
    const Outcome outcome = table.run("predict", more);
    CAPTURE(more, outcome.err);
    CHECK(outcome.exit_code == code);
    CHECK(contains(outcome.err, why));
  };
  refused(2, "--out FILE is missing", {});
  refused(2, "ends in .csv, .npy, .safetensors or .txt; a folder, for images, in /", {"--out", "p.json"});
  refused(5, "folder no: No such file or directory", {"--out", "no/p.csv"});
  refused(5, "old.csv is there already; --overwrite replaces it", {"--out", "old.csv"});
  refused(5,
          "writing the predictions failed at prediction batch 0 (counted from 0): p.npy holds one field, and "
          "the model "
          "predicts prediction, probability: choose one, --field NAME",
          {"--out", "p.npy"});
  refused(5, "p.csv takes field 'x', and the model predicts prediction, probability",
          {"--out", "p.csv", "--field", "x"});
  refused(3, "trainer.limit_predict_batches: 0 leaves nothing to predict",
          {"--out", "p.csv", "--limit_predict_batches", "0"});
  refused(5, "there is no data to predict from: give data.predict or data.test in the config",
          {"--out", "p.csv", "--data.test", "null"});
  CHECK(read_file(folder / "old.csv") == "mine");
  auto now = table.folder.names();
  CHECK(std::includes(now.begin(), now.end(), files.begin(), files.end()));
  CHECK(now.size() <= files.size() + 2);  // stdout.txt, stderr.txt
  table.predict({"--out", "old.csv", "--overwrite", "--field", "prediction"});
  CHECK(lines_of(read_file(folder / "old.csv")).size() == 22);
}

TEST_CASE("a model without predict_step cannot predict; one without data says so") {
  const TemporaryFolder folder;
  const auto predicted = [&](const std::string& model) {
    write_file(folder / "run.yaml", "model: {plugin: " + model + "}\nrun: {folder: " + model +
                                        "}\ntrainer: {max_epochs: 1}\noptimizer: {type: sgd, lr: 1}\n");
    REQUIRE(run_lightrun(folder, {"train", "run.yaml", "--plugin-dir", kPlugins}).exit_code == 0);
    const Outcome outcome =
        run_lightrun(folder, {"predict", "run.yaml", "--plugin-dir", kPlugins, "--checkpoint",
                              model + "/checkpoints/last.ckpt", "--out", "p.csv"});
    CHECK(outcome.exit_code == 5);
    CHECK_FALSE(fs::exists(folder / "p.csv"));
    return outcome.err;
  };
  CHECK(contains(predicted("probe"), "model probe cannot predict: it does not override predict_step()"));
  CHECK(contains(
      predicted("faulty"),
      "give data.predict or data.test in the config, or have the model override predict_dataloader()"));
}

TEST_CASE("a prediction shows how far it is, and Ctrl-C ends it with nothing written") {
  const TemporaryFolder folder;
  REQUIRE(train_faulty(folder, "{batches: 1}", {"--max_epochs", "1"}).exit_code == 0);
  TerminalRun run(
      folder.path(),
      {"predict", "run.yaml", "--plugin-dir", kPlugins, "--checkpoint", "runs/run/0/checkpoints/last.ckpt",
       "--out", "p.csv", "--model.params.predict_batches", "1000", "--model.params.predict_sleep_ms", "20"},
      80);
  REQUIRE(run.wait_for("predicting ["));
  run.type('\x03');
  CHECK(run.wait() == 130);
  INFO(run.screen().text());
  CHECK(contains(run.screen().text(), "interrupted: nothing is written"));
  CHECK_FALSE(fs::exists(folder / "p.csv"));
}

TEST_CASE("a text that a model writes is a line a row, the same each time, another with another seed") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "abcdefgh"[i * i % 7];
  write_file(folder / "abc.txt", text);
  write_file(folder / "run.yaml",
             "model: {plugin: char_lstm, params: {hidden: 8, predict_length: 20}}\n"
             "data:\n  batch_size: 2\n  train: {source: text, path: abc.txt, sequence_length: 20}\n"
             "  test: {split: 0.3}\nrun: {folder: run}\nloggers: []\ntrainer: {max_epochs: 1}\n"
             "optimizer: {type: adam, lr: 0.01}\n");
  REQUIRE(run_lightrun(folder, {"train", "run.yaml"}).exit_code == 0);
  const auto predict = [&](const std::string& out, const std::string& seed) {
    const Outcome outcome = run_lightrun(folder, {"predict", "run.yaml", "--checkpoint",
                                                  "run/checkpoints/last.ckpt", "--out", out, "--seed", seed});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return read_file(folder / out);
  };
  const std::string first = predict("a.txt", "1");
  const auto lines = lines_of(first);
  CHECK(lines.size() == 3);
  for (const std::string& line : lines) {
    CHECK(line.size() == 20);
    CHECK(line.find_first_not_of("abcdefg") == std::string::npos);
  }
  CHECK(predict("b.txt", "1") == first);
  CHECK(predict("c.txt", "2") != first);
}

TEST_CASE("images that a model draws are files in a folder") {
  const TemporaryFolder folder;
  write_images(folder / "images.npy", {0.f, 0.25f, 0.5f, 0.75f, 1.f});
  write_file(folder / "run.yaml",
             "model: {plugin: autoencoder, params: {hidden: 4, code: 2}}\n"
             "data:\n  batch_size: 2\n  train: {source: npy, fields: {image: images.npy}}\n"
             "  test: {source: npy, fields: {image: images.npy}}\nrun: {folder: run}\nloggers: []\n"
             "trainer: {max_epochs: 1}\noptimizer: {type: adam, lr: 0.01}\n");
  REQUIRE(run_lightrun(folder, {"train", "run.yaml"}).exit_code == 0);
  const std::vector<std::string> words = {"predict", "run.yaml", "--checkpoint", "run/checkpoints/last.ckpt",
                                          "--out",   "drawn/"};
  const Outcome outcome = run_lightrun(folder, words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(std::distance(fs::directory_iterator(folder / "drawn"), fs::directory_iterator()) == 5);
  CHECK(read_file(folder / "drawn/000004.png").starts_with("\x89PNG"));
  const Outcome again = run_lightrun(folder, words);
  CHECK(again.exit_code == 5);
  CHECK(contains(again.err, "drawn/000000.png is there already; --overwrite replaces it"));
}
