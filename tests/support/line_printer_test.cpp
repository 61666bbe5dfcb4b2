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

const std::string kErase = "\r\x1b[J";

/// How a status is drawn: the line before goes, nothing is wrapped, the cursor waits at the start.
std::string drawn(const std::string& status) {
  return kErase + "\x1b[?7l" + status + "\x1b[?7h\r";
}

/// A status that is always the same, but for what is waited for.
LinePrinter::Status text(std::string status) {
  return [status = std::move(status)](int, std::string_view waiting) {
    return waiting.empty() ? status : status + " " + std::string(waiting);
  };
}

/// A printer on a terminal, and a clock that the test moves.
struct Screen {
  PseudoTerminal terminal{40};
  std::chrono::steady_clock::time_point now = std::chrono::steady_clock::time_point(1h);
  LinePrinter printer{terminal.fd(), {.interactive = true, .color = false}, [this] { return now; }};
};

}  // namespace

TEST_CASE("on a terminal a status is drawn over the one before") {
  Screen screen;
  screen.printer.status(text("1/3"));
  CHECK(screen.terminal.output() == drawn("1/3"));
  screen.now += 100ms;
  screen.printer.status(text("2/3"));
  CHECK(screen.terminal.output() == drawn("2/3"));
}

TEST_CASE("a status is drawn at most ten times a second, and the last one before its line ends") {
  Screen screen;
  screen.printer.status(text("1/3"));
  CHECK_FALSE(screen.printer.due());
  screen.now += 99ms;
  screen.printer.status(text("2/3"));
  CHECK(screen.terminal.output() == drawn("1/3"));
  screen.now += 1ms;
  CHECK(screen.printer.due());
  screen.now -= 1ms;
  screen.printer.status(text("3/3"));
  screen.printer.end_status();
  CHECK(screen.terminal.output() == drawn("3/3") + "\n");
}

TEST_CASE("a line takes the place of the status, which stands below it afterwards") {
  Screen screen;
  screen.printer.status(text("bar"));
  screen.printer.line("epoch 1");
  CHECK(screen.terminal.output() == drawn("bar") + kErase + "epoch 1\n" + drawn("bar"));
  screen.printer.clear_status();
  screen.printer.line("epoch 2");
  CHECK(screen.terminal.output() == kErase + "epoch 2\n");
}

TEST_CASE("what others print, and what they print by the printer, does not mix with the status") {
  Screen screen;
  screen.printer.status(text("bar"));
  screen.printer.interrupt([&] {
    screen.printer.line("nested");
    REQUIRE(::write(screen.terminal.fd(), "warning\n", 8) == 8);
  });
  CHECK(screen.terminal.output() == drawn("bar") + kErase + "nested\nwarning\n" + drawn("bar"));
}

TEST_CASE("a status is cut to the width that the terminal has now") {
  Screen screen;
  screen.printer.status(text(std::string(60, 'x')));
  CHECK(screen.terminal.output() == drawn(std::string(36, 'x') + "..."));
  screen.terminal.resize(11);
  screen.now += 100ms;
  screen.printer.status(text(std::string(60, 'x')));
  CHECK(screen.terminal.output() == drawn("xxxxxxx..."));
}

TEST_CASE("a status is written anew when the terminal is resized") {
  Screen screen;
  screen.printer.status(text(std::string(39, 'x')));
  CHECK(screen.terminal.output() == drawn(std::string(39, 'x')));
  screen.terminal.resize(15);
  screen.printer.refresh();
  CHECK(screen.terminal.output() == drawn(std::string(11, 'x') + "..."));
  screen.printer.refresh();
  CHECK(screen.terminal.output().empty());
  screen.terminal.resize(40);
  screen.printer.line("done");
  CHECK(screen.terminal.output() == kErase + "done\n" + drawn(std::string(39, 'x')));
}

TEST_CASE("a long wait is shown while it lasts, after the status") {
  Screen screen;
  screen.printer.status(text("bar"));
  const auto refreshed = [&] {
    screen.printer.refresh();
    return screen.terminal.output();
  };
  CHECK(refreshed() == drawn("bar"));
  {
    const Wait wait(&screen.printer, "waiting for data");
    screen.now += 999ms;
    CHECK(refreshed().empty());
    screen.now += 1ms;
    CHECK(refreshed() == drawn("bar waiting for data 1.0 s"));
    screen.now += 500ms;
    CHECK(refreshed() == drawn("bar waiting for data 1.5 s"));
  }
  CHECK(screen.terminal.output() == drawn("bar"));
  CHECK(refreshed().empty());
}

TEST_CASE("short waits are shown where they take half of the time") {
  Screen screen;
  screen.printer.status(text("bar"));
  const auto batches = [&](std::chrono::milliseconds read, std::chrono::milliseconds train) {
    for (int i = 0; i < 20; ++i) {
      {
        const Wait wait(&screen.printer, "waiting for data");
        screen.now += read;
      }
      screen.now += train;
    }
    static_cast<void>(screen.terminal.output());
    screen.printer.status(text("more"));
    return screen.terminal.output();
  };
  CHECK(batches(30ms, 70ms) == drawn("more"));
  CHECK(batches(70ms, 30ms) == drawn("more waiting for data 70 %"));
  CHECK(batches(30ms, 70ms) == drawn("more"));
  {
    const Wait wait(&screen.printer, "saving");
    screen.now += 5s;
  }
  screen.now += 900ms;
  { const Wait wait(&screen.printer, "waiting for data"); }
  screen.now += 100ms;
  static_cast<void>(screen.terminal.output());
  screen.printer.status(text("more"));
  CHECK(screen.terminal.output() == drawn("more"));
}

TEST_CASE("where there is no status, a wait is one") {
  Screen screen;
  {
    const Wait wait(&screen.printer, "loading data");
    screen.now += 499ms;
    screen.printer.refresh();
    CHECK(screen.terminal.output().empty());
    screen.now += 1ms;
    screen.printer.refresh();
    CHECK(screen.terminal.output() == drawn("loading data 0.5 s"));
    screen.printer.line("warning");
    CHECK(screen.terminal.output() == kErase + "warning\n" + drawn("loading data 0.5 s"));
  }
  CHECK(screen.terminal.output() == kErase);
}

TEST_CASE("where there is no terminal, lines are printed and a status is not") {
  const TemporaryFolder folder;
  const int fd = ::open((folder / "out").c_str(), O_CREAT | O_WRONLY, 0600);
  {
    LinePrinter printer(fd, {});
    CHECK_FALSE(printer.due());
    printer.line("header");
    printer.status(text("bar"));
    printer.interrupt([] {});
    {
      const Wait wait(&printer, "loading data");
      printer.refresh();
    }
    printer.end_status();
    printer.line("epoch 1");
  }
  ::close(fd);
  CHECK(read_file(folder / "out") == "header\nepoch 1\n");
}

TEST_CASE("a printer that goes leaves the cursor on a new line") {
  PseudoTerminal terminal(40);
  { LinePrinter(terminal.fd(), {.interactive = true}).status(text("bar")); }
  CHECK(terminal.output() == drawn("bar") + drawn("bar") + "\n");
}

TEST_CASE("a screen that is gone ends nothing") {
  LinePrinter printer(-1, {});
  CHECK_NOTHROW(printer.line("lost"));
}
