#include "e2e/faulty_run.hpp"
#include "e2e/terminal_run.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

using namespace lightrun::tests;

namespace {

std::vector<std::string> train_words(const TemporaryFolder& folder, const std::string& params,
                                     const std::vector<std::string>& flags = {}) {
  write_file(folder / "run.yaml", "model: {plugin: faulty, params: " + params +
                                      "}\ntrainer: {max_epochs: 3}\noptimizer: {type: sgd, lr: 1}\n");
  std::vector<std::string> words = {"train", "run.yaml", "--plugin-dir", lightrun::tests::kPlugins};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

const std::string kSlow = "{batches: 8, sleep_ms: 40, val_batches: 3, val_sleep_ms: 40, bar_metric: 漢字}";

int64_t lines_with(const Screen& screen, const std::string& part) {
  return std::ranges::count_if(screen.lines(), [&](const std::string& line) { return contains(line, part); });
}

/// What is left on the screen is what should stay.
void check_is_clean(const Screen& screen) {
  INFO(screen.text());
  CHECK(screen.unknown().empty());
  CHECK(screen.is_at_line_start());
  CHECK_FALSE(contains(screen.text(), "ETA"));
  CHECK_FALSE(contains(screen.text(), "[="));
  CHECK_FALSE(contains(screen.text(), "validating"));
}

}  // namespace

TEST_CASE("at 80, 40 and 12 columns no line of a run is too long, and the bar leaves nothing behind") {
  const TemporaryFolder folder;
  const auto words = train_words(folder, kSlow);
  const TemporaryFolder folders[3];
  std::vector<std::unique_ptr<TerminalRun>> runs;
  for (const auto& [at, columns] : {std::pair{0, 80}, {1, 40}, {2, 12}}) {
    std::filesystem::copy(folder / "run.yaml", folders[at] / "run.yaml");
    runs.push_back(
        std::make_unique<TerminalRun>(folders[at].path(), words, static_cast<unsigned short>(columns)));
  }
  CHECK(runs[0]->wait_for("ETA"));
  CHECK(runs[1]->wait_for("ETA"));
  CHECK(runs[2]->wait_for("epoch"));
  for (const auto& run : runs) {
    CHECK(run->wait() == 0);
    CHECK(run->screen().broken().empty());
    check_is_clean(run->screen());
  }
  CHECK(lines_with(runs[0]->screen(), "epoch 3/3  ") == 1);
  CHECK(lines_with(runs[1]->screen(), "epoch 3/3  ") == 1);
  CHECK(runs[0]->screen().lines().size() <= 23);  // all of the run is on a screen of 24
}

TEST_CASE("a terminal that is resized during a run has no leftovers") {
  const TemporaryFolder folder;
  TerminalRun run(folder.path(), train_words(folder, kSlow), 80);
  REQUIRE(run.wait_for("ETA"));
  run.resize(40);
  REQUIRE(run.wait_for("epoch 2/3"));
  run.resize(25);
  REQUIRE(run.wait_for("epoch 3/3"));
  run.resize(70);
  CHECK(run.wait() == 0);
  // A line may have been on its way at the moment of a resize.
  CHECK(run.screen().broken().size() <= 3);
  check_is_clean(run.screen());
  for (const std::string epoch : {"epoch 1/3", "epoch 2/3", "epoch 3/3"})
    CHECK(lines_with(run.screen(), epoch) == 1);
}

TEST_CASE("a run that waits for its data says so, while it does") {
  const TemporaryFolder folder;
  const std::string params = "{batches: 2, load_sleep_ms: 900, read_sleep_ms: 1400}";
  TerminalRun run(folder.path(), train_words(folder, params, {"--max_epochs", "1"}), 80);
  CHECK(run.wait_for("loading data 0."));
  CHECK(run.wait_for("/2  waiting for data 1."));
  CHECK(run.wait() == 0);
  CHECK_FALSE(contains(run.screen().text(), "loading"));
  CHECK_FALSE(contains(run.screen().text(), "waiting"));
  check_is_clean(run.screen());
}

TEST_CASE("Ctrl-C at a terminal leaves a tidy screen, and how far the run came") {
  const TemporaryFolder folder;
  TerminalRun run(folder.path(), train_words(folder, kSlow), 80);
  REQUIRE(run.wait_for("epoch 2/3 ["));
  run.type('\x03');
  CHECK(run.wait() == 130);
  INFO(run.screen().text());
  CHECK(contains(run.screen().text(), "stopping after this batch"));
  CHECK(contains(run.screen().text(), "stopped     interrupted by SIGINT"));
  CHECK(run.screen().broken().empty());
  CHECK(run.screen().is_at_line_start());
}

TEST_CASE("colours are on a terminal that wants them, and escape codes on one that knows them") {
  const TemporaryFolder folders[3];
  const std::string params = "{batches: 2}";
  TerminalRun plain(folders[0].path(), train_words(folders[0], params, {"--accumulate_grad_batches", "9"}),
                    80);
  TerminalRun no_color(folders[1].path(), train_words(folders[1], params), 80, {{"NO_COLOR", "1"}});
  TerminalRun dumb(folders[2].path(), train_words(folders[2], params), 80, {{"TERM", "dumb"}});
  CHECK(plain.wait() == 0);
  CHECK(contains(plain.output(), "\x1b[1mfaulty"));
  CHECK(contains(plain.output(), "\x1b[33mwarning\x1b[0m: "));
  CHECK(no_color.wait() == 0);
  CHECK(contains(no_color.output(), "model       faulty"));
  for (const std::string color : {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m"})
    CHECK_FALSE(contains(no_color.output(), color));
  CHECK(dumb.wait() == 0);
  CHECK_FALSE(contains(dumb.output(), "\x1b"));
  for (const std::string& line : lines_of(dumb.output())) CHECK(line.find('\r') == line.size() - 1);
}

TEST_CASE("what goes to a pipe or a file is plain lines") {
  const TemporaryFolder folder;
  const auto check_is_plain = [&](const std::vector<std::string>& words) {
    INFO(words.front());
    const Outcome outcome = run_lightrun(folder, words);
    CHECK(outcome.exit_code == 0);
    CHECK((outcome.out + outcome.err).size() > 40);
    CHECK((outcome.out + outcome.err).find_first_of("\x1b\r\b") == std::string::npos);
  };
  check_is_plain({"train", shipped_config("digits.yaml"), "--max_epochs", "1"});
  check_is_plain(
      {"test", shipped_config("digits.yaml"), "--checkpoint", "runs/digits/0/checkpoints/last.ckpt"});
  check_is_plain({"check", shipped_config("digits.yaml")});
  check_is_plain({"plan", shipped_config("digits.yaml")});
}
