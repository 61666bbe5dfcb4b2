#include "e2e/lightrun_process.hpp"
#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>

using namespace lightrun::tests;
namespace fs = std::filesystem;

namespace {

Outcome run_program(const TemporaryFolder& folder, const std::string& command) {
  const std::string line = "cd '" + folder.path().string() + "' && " + command + " >stdout.txt 2>stderr.txt";
  const int status = std::system(line.c_str());
  return {WEXITSTATUS(status), read_file(folder / "stdout.txt"), read_file(folder / "stderr.txt")};
}

}  // namespace

TEST_CASE("an installed lightrun serves an empty folder: new, build, train, find_package") {
  const TemporaryFolder folder;
  const auto prefix = (folder / "prefix").string();
  const auto run = [&](const std::string& command) {
    const Outcome outcome = run_program(folder, command);
    INFO(command << '\n' << outcome.out << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome.out;
  };
  run("cmake --install '" LIGHTRUN_BUILD_DIR "' --prefix '" + prefix + "'");
  const std::string made = run("prefix/bin/lightrun new my_model");
  for (const char* file : {"my_model/my_model.cpp", "my_model/CMakeLists.txt", "my_model/my_model.yaml"})
    CHECK(contains(made, file));
  CHECK(contains(run("prefix/bin/lightrun build my_model"), "plugins/my_model/my_model.so"));
  CHECK(contains(run("prefix/bin/lightrun train my_model/my_model.yaml --max_epochs 2"),
                 "max_epochs 2 reached"));

  fs::create_directory(folder / "program");
  fs::copy(LIGHTRUN_SOURCE_DIR "/tests/models/embedding/main.cpp", folder / "program/main.cpp");
  std::ofstream(folder / "program/CMakeLists.txt")
      << "cmake_minimum_required(VERSION 3.25)\nproject(line LANGUAGES CXX)\n"
         "find_package(lightrun REQUIRED)\nadd_executable(line main.cpp)\n"
         "target_link_libraries(line PRIVATE lightrun::core)\n";
  run("cmake -S program -B program/build -DCMAKE_PREFIX_PATH='" + prefix +
      "' && cmake --build program/build");
  std::ofstream(folder / "line.yaml")
      << "max_epochs: 40\ndata: {batch_size: 16}\noptimizer: {type: sgd, lr: 0.3}\n";
  CHECK(contains(run("program/build/line line.yaml"), "slope 3\n"));
}

TEST_CASE("lightrun new refuses what it cannot begin with") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "there");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"new", "there"}, "there is there already"},
      {{"new", "7up"}, "is no name for a model"},
      {{"new", "mine", "--from", "tabulr"}, "did you mean tabular?"},
  };
  for (const auto& [words, part] : cases) {
    const Outcome outcome = run_lightrun(folder, words);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(contains(outcome.err, part));
  }
  CHECK_FALSE(fs::exists(folder / "mine"));
}

TEST_CASE("lightrun build shows what the compiler says") {
  const TemporaryFolder folder;
  std::ofstream(folder / "wrong.cpp") << "#include <lightrun/lightrun.hpp>\nint x = \"no number\";\n";
  const Outcome outcome = run_lightrun(folder, {"build", "wrong.cpp"});
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exit_code == 5);
  CHECK(contains(outcome.err, "wrong.cpp:2"));
  CHECK(contains(outcome.err, "the compilation failed"));
  CHECK(run_lightrun(folder, {"build", "nowhere"}).exit_code == 2);
}

TEST_CASE("a program of one's own trains with a model, a function and a callback") {
  const TemporaryFolder folder;
  std::ofstream(folder / "line.yaml")
      << "max_epochs: 40\ndata: {batch_size: 16}\noptimizer: {type: sgd, lr: 0.3}\n";
  const std::string program = LIGHTRUN_BUILD_DIR "/tests/bin/embedding";
  const Outcome outcome = run_program(folder, program + " line.yaml --seed 3");
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "epoch 0\n"));
  CHECK(contains(outcome.out, "epoch 39\n"));
  CHECK(contains(outcome.out, "batches 160\n"));
  CHECK(contains(outcome.out, "slope 3\n"));
  CHECK(contains(outcome.out, "reason max_epochs 40 reached"));
  CHECK(fs::exists(folder / "runs/line/0/checkpoints/last.ckpt"));
  const Outcome wrong = run_program(folder, program + " line.yaml --max_epoch 3");
  CHECK(wrong.exit_code == 2);
  CHECK(contains(wrong.err, "did you mean --max_epochs?"));
}
