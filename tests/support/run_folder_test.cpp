#include "support/run_folder.hpp"

#include "support/atomic_file.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <sys/stat.h>

#include <optional>
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
  for (const char* name :
       {"2", "9", "10", "12b", "best", "-4", "99999999999999999999", "9223372036854775807"})
    std::filesystem::create_directories(folder / "run" / name);
  CHECK(make_run_folder(folder.path(), "run").path == folder / "run/11");
}

TEST_CASE("eight runs that start together get eight folders") {
  const TemporaryFolder folder;
  std::vector<pid_t> runs;
  runs.reserve(8);
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

namespace {

std::optional<std::filesystem::path> latest(const std::filesystem::path& dir, std::string_view name) {
  const auto folders = run_folders(dir, name);
  return folders.empty() ? std::nullopt : std::optional(folders.front());
}

}  // namespace

TEST_CASE("the latest run is the one of the highest number, whatever else is there") {
  const TemporaryFolder folder;
  CHECK_FALSE(latest(folder / "runs", "run"));
  std::filesystem::create_directories(folder / "runs/run");
  CHECK_FALSE(latest(folder / "runs", "run"));
  for (const char* name :
       {"2", "9", "10", "12b", "best", "-4", "99999999999999999999", "9223372036854775807"})
    std::filesystem::create_directories(folder / "runs/run" / name);
  std::filesystem::create_directory_symlink("2", folder / "runs/run/latest");  // out of date
  write_file(folder / "runs/run/11", "a file is no run");
  CHECK(latest(folder / "runs", "run") == folder / "runs/run/10");
  CHECK(run_folders(folder / "runs", "run") ==
        std::vector{folder / "runs/run/10", folder / "runs/run/9", folder / "runs/run/2"});
  CHECK(make_run_folder(folder / "runs", "run").path == folder / "runs/run/12");
  CHECK(latest(folder / "runs", "run") == folder / "runs/run/12");
}

TEST_CASE("each new run is the latest, in whichever order the system lists them") {
  const TemporaryFolder folder;
  for (int number = 0; number < 20; ++number) {
    const auto made = make_run_folder(folder.path(), "run").path;
    CHECK(latest(folder.path(), "run") == made);
  }
}

TEST_CASE("a run that was moved to another disk, with a link in its place, is still the latest") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "disk/run-1");
  std::filesystem::create_directories(folder / "run/0");
  std::filesystem::create_directory_symlink(folder / "disk/run-1", folder / "run/1");
  CHECK(latest(folder.path(), "run") == folder / "run/1");
}

TEST_CASE("runs that cannot be listed are named with the reason") {
  const TemporaryFolder folder;
  write_file(folder / "run", "a file");
  CHECK_THROWS_AS(latest(folder.path(), "run"), lightrun::RunError);
  CHECK_THROWS_WITH(latest(folder.path(), "run"),
                    "cannot read folder " + (folder / "run").string() + ": Not a directory");
}

TEST_CASE("a folder that was asked for by its path is made with its parents, and again") {
  const TemporaryFolder folder;
  make_fixed_run_folder(folder / "a/b/c");
  write_file(folder / "a/b/c/mine", "stays");
  make_fixed_run_folder(folder / "a/b/c");
  make_fixed_run_folder((folder / "a/b/c").string() + "/");
  CHECK(read_file(folder / "a/b/c/mine") == "stays");
  std::filesystem::create_directory_symlink("a/b", folder / "link");
  make_fixed_run_folder(folder / "link");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  make_fixed_run_folder(folder / "link/d");
  CHECK(std::filesystem::is_directory(folder / "a/b/d"));
}

TEST_CASE("a folder that was asked for and cannot be made is named with the reason") {
  const TemporaryFolder folder;
  write_file(folder / "file", "mine");
  const std::string path = (folder / GENERATE("file", "file/run")).string();
  CHECK_THROWS_AS(make_fixed_run_folder(path), lightrun::RunError);
  CHECK_THROWS_WITH(make_fixed_run_folder(path), "cannot make folder " + path + ": Not a directory");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  CHECK_THROWS_AS(make_fixed_run_folder(folder / "dangling"), lightrun::RunError);
  CHECK(read_file(folder / "file") == "mine");
}

TEST_CASE("a folder holds a run once one of a run's files is in it") {
  const TemporaryFolder folder;
  CHECK_FALSE(holds_a_run(folder / "absent"));
  CHECK_FALSE(holds_a_run(folder.path()));
  write_file(folder / "run.lock", "");
  write_file(folder / "notes.txt", "");
  std::filesystem::create_directories(folder / "checkpoints/folder");
  write_file(folder / "checkpoints/folder/file", "");
  write_file(folder / "checkpoints/.last.ckpt.tmp-42", "of a killed run");
  CHECK_FALSE(holds_a_run(folder.path()));
  const std::string file =
      GENERATE("config.yaml", "metrics.csv", "log.txt", "checkpoints/last.ckpt", "checkpoints/any");
  write_file(folder / file, "");
  CHECK(holds_a_run(folder.path()));
}

TEST_CASE("a link in the place of a run's file is a run's file, also where it leads nowhere") {
  const TemporaryFolder folder;
  const std::string file = GENERATE("config.yaml", "checkpoints/best.ckpt");
  std::filesystem::create_directory(folder / "checkpoints");
  std::filesystem::create_symlink("nowhere", folder / file);
  CHECK(holds_a_run(folder.path()));
}

TEST_CASE("whether there is a run in a folder that cannot be read is not guessed") {
  const TemporaryFolder folder;
  const auto [locked, message] = GENERATE(table<std::string, std::string>(
      {{".", "cannot read ./config.yaml"}, {"checkpoints", "cannot read folder ./checkpoints"}}));
  std::filesystem::create_directory(folder / "checkpoints");
  const pid_t child = start_child([&, locked = locked, message = message] {
    give_up_privileges();
    std::filesystem::current_path(folder.path());
    ::chmod(locked.c_str(), 0);
    try {
      static_cast<void>(holds_a_run("."));
    } catch (const lightrun::RunError& error) {
      if (error.what() == message + ": Permission denied") ::_exit(7);
    }
  });
  CHECK(WEXITSTATUS(wait_for(child)) == 7);
  std::filesystem::permissions(folder / locked, std::filesystem::perms::owner_all);
}

TEST_CASE("the temporaries of killed processes are swept, and nothing else") {
  const TemporaryFolder folder;
  for (const char* name : {".log.txt.tmp-7", ".config.yaml.tmp-42", ".config.yaml.tmp-42-1", "config.yaml",
                           ".hidden", ".config.yaml.tmp-old", "config.yaml.tmp-42"})
    write_file(folder / name, name);
  std::filesystem::create_directories(folder / ".folder.tmp-1");
  write_file(folder / ".folder.tmp-1/.a.tmp-1", "in a subfolder");
  std::filesystem::create_symlink("config.yaml", folder / ".link.tmp-1");
  std::filesystem::create_symlink("nowhere", folder / ".dangling.tmp-1");

  CHECK(sweep_temporaries(folder.path()) ==
        std::vector<std::string>{".config.yaml.tmp-42", ".config.yaml.tmp-42-1", ".log.txt.tmp-7"});
  CHECK(folder.names() == std::vector<std::string>{".config.yaml.tmp-old", ".dangling.tmp-1", ".folder.tmp-1",
                                                   ".hidden", ".link.tmp-1", "config.yaml",
                                                   "config.yaml.tmp-42"});
  CHECK(read_file(folder / "config.yaml") == "config.yaml");
  CHECK(read_file(folder / ".folder.tmp-1/.a.tmp-1") == "in a subfolder");
  CHECK(sweep_temporaries(folder.path()).empty());
}

TEST_CASE("what a killed writer left is swept") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "metrics.csv", "old");
  Child writer([&] {
    write_file_atomically(folder / "metrics.csv", [&](std::ostream& stream) {
      stream << "half" << std::flush;
      write_file(folder / "begun", "");
      ::pause();
    });
  });
  REQUIRE(wait_until([&] { return std::filesystem::exists(folder / "begun"); }));
  const std::string name = temporary_path("metrics.csv", writer.pid()).filename().string();
  writer.kill();
  CHECK(sweep_temporaries(folder.path()) == std::vector<std::string>{name});
  CHECK(folder.names() == std::vector<std::string>{"begun", "metrics.csv"});
  CHECK(read_file(folder / "metrics.csv") == "old");
}

TEST_CASE("sweeping goes on without what cannot be removed, and without a folder") {
  const TemporaryFolder folder;
  CHECK(sweep_temporaries(folder / "absent").empty());
  write_file(folder / "file", "");
  CHECK_THROWS_WITH(sweep_temporaries(folder / "file"),
                    "cannot read folder " + (folder / "file").string() + ": Not a directory");
  write_file(folder / ".a.tmp-1", "");
  const pid_t child = start_child([&] {
    give_up_privileges();
    ::chmod(folder.path().c_str(), 0500);
    if (!sweep_temporaries(folder.path()).empty()) ::_exit(1);
  });
  CHECK(wait_for(child) == 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  CHECK(folder.names() == std::vector<std::string>{".a.tmp-1", "file"});
}
