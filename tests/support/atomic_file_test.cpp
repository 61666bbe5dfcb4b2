#include "support/atomic_file.hpp"

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/small_disk.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <stdexcept>

using namespace lightrun::support;
using namespace lightrun::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("a file is written, and written again") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.txt", "one");
  write_file_atomically(folder / "a.txt", [](std::ostream& stream) { stream << "two " << 2; });
  CHECK(read_file(folder / "a.txt") == "two 2");
  CHECK(folder.names() == std::vector<std::string>{"a.txt"});
}

TEST_CASE("content larger than any buffer is written whole, and a seek goes back into it") {
  const TemporaryFolder folder;
  const std::string megabyte(1 << 20, 'x');
  write_file_atomically(folder / "big", [&](std::ostream& stream) {
    stream << "????" << megabyte;
    for (int i = 0; i < 100000; ++i) stream.put('y');
    const auto end = stream.tellp();
    stream.seekp(0);
    stream << "head";
    stream.seekp(end);
    stream << "tail";
  });
  CHECK(read_file(folder / "big") == "head" + megabyte + std::string(100000, 'y') + "tail");
}

TEST_CASE("a full disk names the file and the reason, and leaves the old file and nothing else") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "last.ckpt", "good");
  std::string message;
  {
    const SmallDisk disk(1000);
    try {
      write_file_atomically(folder / "last.ckpt", std::string(100000, 'x'));
    } catch (const lightrun::RunError& error) {
      message = error.what();
    }
  }
  CHECK(message == "cannot write " + (folder / "last.ckpt").string() + ": File too large");
  CHECK(read_file(folder / "last.ckpt") == "good");
  CHECK(folder.names() == std::vector<std::string>{"last.ckpt"});
}

TEST_CASE("what the writer throws comes through, and leaves the old file and nothing else") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "good");
  const auto half = [](std::ostream& stream) {
    stream << "half";
    throw std::runtime_error("boom");
  };
  CHECK_THROWS_WITH(write_file_atomically(folder / "a", half), "boom");
  CHECK(read_file(folder / "a") == "good");
  CHECK(folder.names() == std::vector<std::string>{"a"});
}

TEST_CASE("a folder that is not there and a folder in the file's place are named") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(write_file_atomically(folder / "no" / "a", "x"),
                    StartsWith("cannot write ") && Contains("/no/a: No such file or directory"));
  std::filesystem::create_directory(folder / "taken");
  CHECK_THROWS_WITH(write_file_atomically(folder / "taken", "x"), Contains("/taken: Is a directory"));
  CHECK(folder.names() == std::vector<std::string>{"taken"});
}

TEST_CASE("a temporary is known by its name, and one that another process left is not touched") {
  CHECK(temporary_path("runs/last.ckpt", 42) == "runs/.last.ckpt.tmp-42");
  CHECK(is_temporary_file(".last.ckpt.tmp-42"));
  CHECK(is_temporary_file(".latest.tmp-42-7"));
  CHECK_FALSE(is_temporary_file("last.ckpt"));
  CHECK_FALSE(is_temporary_file(".last.ckpt.tmp-"));
  CHECK_FALSE(is_temporary_file(".last.ckpt.tmp-old"));

  const TemporaryFolder folder;
  const auto left = temporary_path(folder / "a", ::getpid());
  write_file(left, "of an earlier process with our pid");
  write_file_atomically(folder / "a", "new");
  CHECK(read_file(folder / "a") == "new");
  CHECK(read_file(left) == "of an earlier process with our pid");
}

TEST_CASE("a reader never sees half a file, also when the writer is killed") {
  const TemporaryFolder folder;
  const std::string a(200000, 'a');
  const std::string b(200000, 'b');
  write_file_atomically(folder / "f", a);
  const pid_t writer = start_child([&] {
    for (;;) {
      write_file_atomically(folder / "f", b);
      write_file_atomically(folder / "f", a);
    }
  });
  int whole = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string text = read_file(folder / "f");
    whole += text == a || text == b;
  }
  ::kill(writer, SIGKILL);
  const int status = wait_for(writer);
  CHECK(WIFSIGNALED(status));
  CHECK(whole == 50);
  const std::string text = read_file(folder / "f");
  CHECK((text == a || text == b));
}
