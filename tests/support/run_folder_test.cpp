#include "support/run_folder.hpp"

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <set>

using namespace lightrun::support;
using namespace lightrun::tests;
using Catch::Matchers::Contains;

TEST_CASE("runs are numbered from 0, and latest points to the last") {
  const TemporaryFolder folder;
  CHECK(make_run_folder(folder / "runs", "digits").path == folder / "runs/digits/0");
  const RunFolder second = make_run_folder(folder / "runs", "digits");
  CHECK(second.path == folder / "runs/digits/1");
  CHECK(second.warning.empty());
  CHECK(std::filesystem::is_directory(second.path));
  CHECK(std::filesystem::read_symlink(folder / "runs/digits/latest") == "1");
  CHECK(make_run_folder(folder / "runs", "gan").path == folder / "runs/gan/0");
}

TEST_CASE("the next number is one more than the highest, whatever else is there") {
  const TemporaryFolder folder;
  for (const char* name : {"2", "9", "10", "12b", "best", "-4", "99999999999999999999"})
    std::filesystem::create_directories(folder / "run" / name);
  CHECK(make_run_folder(folder.path(), "run").path == folder / "run/11");
}

TEST_CASE("eight runs that start together get eight folders") {
  const TemporaryFolder folder;
  std::vector<pid_t> runs;
  for (int i = 0; i < 8; ++i)
    runs.push_back(start_child([&] {
      for (int k = 0; k < 25; ++k) {
        const auto mine = make_run_folder(folder.path(), "run").path / "owner";
        if (std::filesystem::exists(mine)) throw std::runtime_error("someone is here already");
        write_file(mine, std::to_string(::getpid()));
      }
    }));
  for (const pid_t run : runs) CHECK(wait_for(run) == 0);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "run"))
    names.insert(entry.path().filename().string());
  CHECK(names.size() == 201);  // 200 folders and `latest`
  CHECK(names.count("0") == 1);
  CHECK(names.count("199") == 1);
}

TEST_CASE("a folder that cannot be made is named with the reason") {
  const TemporaryFolder folder;
  write_file(folder / "runs", "a file");
  CHECK_THROWS_AS(make_run_folder(folder / "runs", "digits"), lightrun::RunError);
  CHECK_THROWS_WITH(make_run_folder(folder / "runs", "digits"),
                    "cannot make folder " + (folder / "runs/digits").string() + ": Not a directory");
}

TEST_CASE("a file called latest is left alone, with a warning") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "run");
  write_file(folder / "run/latest", "mine");
  const RunFolder made = make_run_folder(folder.path(), "run");
  CHECK(made.path == folder / "run/0");
  CHECK_THAT(made.warning, Contains("run/latest: there is a file of that name"));
  CHECK(read_file(folder / "run/latest") == "mine");
}
