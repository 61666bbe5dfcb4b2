#include "support/line_printer.hpp"

#include "support/catch.hpp"
#include "support/pseudo_terminal.hpp"
#include "support/temporary_folder.hpp"

#include <fcntl.h>

#include <chrono>

using namespace lightrun::support;
using namespace lightrun::tests;
using namespace std::chrono_literals;

namespace {

const std::string kErase = "\r\x1b[K";

/// A printer on a terminal, and a clock that the test moves.
struct Screen {
  PseudoTerminal terminal{40};
  std::chrono::steady_clock::time_point now = std::chrono::steady_clock::time_point(1h);
  LinePrinter printer{terminal.fd(), {.interactive = true, .color = false}, [this] { return now; }};
};

}  // namespace

TEST_CASE("on a terminal a status is drawn over the one before") {
  Screen screen;
  screen.printer.status("1/3");
  CHECK(screen.terminal.output() == kErase + "1/3");
  screen.now += 100ms;
  screen.printer.status("2/3");
  CHECK(screen.terminal.output() == kErase + "2/3");
}

TEST_CASE("a status is drawn at most ten times a second, and the last one before its line ends") {
  Screen screen;
  screen.printer.status("1/3");
  CHECK_FALSE(screen.printer.due());
  screen.now += 99ms;
  screen.printer.status("2/3");
  CHECK(screen.terminal.output() == kErase + "1/3");
  screen.now += 1ms;
  CHECK(screen.printer.due());
  screen.now -= 1ms;
  screen.printer.status("3/3");
  screen.printer.end_status();
  CHECK(screen.terminal.output() == kErase + "3/3\n");
}

TEST_CASE("a line takes the place of the status, which stands below it afterwards") {
  Screen screen;
  screen.printer.status("bar");
  screen.printer.line("epoch 1");
  CHECK(screen.terminal.output() == kErase + "bar" + kErase + "epoch 1\n" + kErase + "bar");
  screen.printer.clear_status();
  screen.printer.line("epoch 2");
  CHECK(screen.terminal.output() == kErase + "epoch 2\n");
}

TEST_CASE("what others print, and what they print by the printer, does not mix with the status") {
  Screen screen;
  screen.printer.status("bar");
  screen.printer.interrupt([&] {
    screen.printer.line("nested");
    REQUIRE(::write(screen.terminal.fd(), "warning\n", 8) == 8);
  });
  CHECK(screen.terminal.output() == kErase + "bar" + kErase + "nested\nwarning\n" + kErase + "bar");
}

TEST_CASE("a status is cut to the width that the terminal has now") {
  Screen screen;
  screen.printer.status(std::string(60, 'x'));
  CHECK(screen.terminal.output() == kErase + std::string(36, 'x') + "...");
  screen.terminal.resize(11);
  screen.now += 100ms;
  screen.printer.status(std::string(60, 'x'));
  CHECK(screen.terminal.output() == kErase + "xxxxxxx...");
}

TEST_CASE("where there is no terminal, lines are printed and a status is not") {
  const TemporaryFolder folder;
  const int fd = ::open((folder / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  {
    LinePrinter printer(fd, {});
    CHECK_FALSE(printer.due());
    printer.line("header");
    printer.status("bar");
    printer.interrupt([] {});
    printer.end_status();
    printer.line("epoch 1");
  }
  ::close(fd);
  CHECK(read_file(folder / "out") == "header\nepoch 1\n");
}

TEST_CASE("a printer that goes leaves the cursor on a new line") {
  PseudoTerminal terminal(40);
  { LinePrinter(terminal.fd(), {.interactive = true}).status("bar"); }
  CHECK(terminal.output() == kErase + "bar" + kErase + "bar\n");
}

TEST_CASE("a screen that is gone ends nothing") {
  LinePrinter printer(-1, {});
  CHECK_NOTHROW(printer.line("lost"));
}
