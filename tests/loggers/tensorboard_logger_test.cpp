#include "loggers/tensorboard_logger.hpp"

#include "loggers/event_files.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/small_disk.hpp"

#include <lightrun/error.hpp>

#include <cmath>
#include <csignal>

using namespace lightrun::loggers;
using namespace lightrun::tests;

namespace {

std::filesystem::path only_file_in(const std::filesystem::path& folder) {
  return std::filesystem::directory_iterator(folder)->path();
}

/// `steps` of a loss that is the step, from `first` on.
void log_steps(TensorboardLogger& logger, int64_t first, int64_t steps) {
  for (int64_t step = first; step < first + steps; ++step)
    logger.log_metrics(step, 0, 0, {{"loss", static_cast<double>(step)}});
}

/// Loss 0, 1, 2, ... at the steps 0, 1, 2, ..., each once.
void check_steps(const std::filesystem::path& folder, int64_t steps) {
  const auto scalars = scalars_in(read_events(folder));
  REQUIRE(std::ssize(scalars) == steps);
  for (int64_t step = 0; step < steps; ++step) REQUIRE(scalars.at({"loss", step}) == step);
}

}  // namespace

TEST_CASE("another reader finds what was logged: version, start, config, scalars, histograms") {
  const TemporaryFolder folder;
  TensorboardLogger logger(folder / "tb", {.config = "seed: 1\n", .histograms_every = 5});
  logger.log_metrics(0, 0, 0.5, {{"loss", 1.0 / 3}, {"lr", 1e-3}});
  logger.log_metrics(int64_t(1) << 40, 1, 0.5, {{"none", NAN}, {"all", -INFINITY}, {"minus", -0.0}});
  CHECK_FALSE(logger.wants_histograms(3));
  CHECK(logger.wants_histograms(4));
  const Histogram histogram = {.min = -1,
                               .max = 2,
                               .num = 3,
                               .sum = 2,
                               .sum_squares = 6,
                               .limits = {-0.5, 1, 2.5},
                               .counts = {1, 0, 2}};
  logger.log_histograms(4, {{"gradients/w", histogram}});
  const auto events = read_events(folder / "tb");  // before anything is flushed or closed
  REQUIRE(events.size() == 6);
  CHECK(events[0]["version"] == "brain.Event:2");
  CHECK(events[1]["session"] == 1);
  CHECK(events[1]["writer"] == "lightrun");
  CHECK(events[2]["texts"]["config"] == "```yaml\nseed: 1\n```\n");
  CHECK(events[3]["step"] == 0);
  CHECK(events[3]["scalars"]["loss"].get<double>() == static_cast<double>(1.0F / 3));
  CHECK(events[3]["scalars"]["lr"].get<double>() == static_cast<double>(1e-3F));
  CHECK(events[4]["step"] == int64_t(1) << 40);
  CHECK(events[4]["scalars"]["none"] == "nan");
  CHECK(events[4]["scalars"]["all"] == "-inf");
  CHECK(std::signbit(events[4]["scalars"]["minus"].get<double>()));
  CHECK(events[5]["histograms"]["gradients/w"].dump() ==
        R"({"counts":[1.0,0.0,2.0],"limits":[-0.5,1.0,2.5],"max":2.0,"min":-1.0,"num":3.0,"sum":2.0,)"
        R"("sum_squares":6.0})");
  const double now = static_cast<double>(std::time(nullptr));
  CHECK(std::abs(events[3]["wall_time"].get<double>() - now) < 60);
  if (events[0]["protobuf"] != true)
    WARN("not tested with google.protobuf: python3-protobuf is not installed");
}

TEST_CASE("the file is called as TensorBoard wants it, later ones after it") {
  const TemporaryFolder folder;
  const std::string name = event_file_name(folder.path(), 42, 0);
  CHECK(name.starts_with("events.out.tfevents.0000000042."));
  CHECK(name.ends_with("." + std::to_string(::getpid()) + ".0"));
  write_file(folder / "events.out.tfevents.0000000050.host.1.0", "");
  CHECK(event_file_name(folder.path(), 42, 0).starts_with("events.out.tfevents.0000000051."));
  CHECK(event_file_name(folder.path(), 60, 0).starts_with("events.out.tfevents.0000000060."));
}

TEST_CASE("a run that is killed and resumed anywhere has every step once") {
  for (int64_t cut = 0; cut <= 4; ++cut) {
    for (int64_t killed = cut; killed <= 6; ++killed) {
      CAPTURE(cut, killed);
      const TemporaryFolder folder;
      LoggerState state;
      {
        TensorboardLogger logger(folder.path(), {.config = "a: 1\n"});
        log_steps(logger, 0, cut);
        state = logger.state();
        log_steps(logger, cut, killed - cut);
      }
      TensorboardLogger logger(folder.path(), {}, state, folder.path());
      CHECK(logger.warning().empty());
      check_steps(folder.path(), cut);
      log_steps(logger, cut, 8 - cut);
      check_steps(folder.path(), 8);
      const auto events = read_events(folder.path());
      std::vector<int64_t> starts;
      for (const auto& event : events)
        if (event.contains("session")) starts.push_back(event["step"].get<int64_t>());
      CHECK(starts == std::vector<int64_t>{0, cut});
    }
  }
}

TEST_CASE("a run that goes back to a checkpoint of an earlier process drops what later ones wrote") {
  const TemporaryFolder folder;
  LoggerState early;
  LoggerState late;
  {
    TensorboardLogger logger(folder.path(), {});
    log_steps(logger, 0, 2);
    early = logger.state();
    log_steps(logger, 2, 3);
  }
  {
    TensorboardLogger logger(folder.path(), {}, early, folder.path());
    log_steps(logger, 2, 4);
    late = logger.state();
    log_steps(logger, 6, 1);
  }
  { TensorboardLogger logger(folder.path(), {}, late, folder.path()); }
  check_steps(folder.path(), 6);
  write_file(folder / "events.out.tfevents.0000000001.other.1.0", "");  // the model's own
  TensorboardLogger logger(folder.path(), {}, early, folder.path());
  log_steps(logger, 2, 1);
  check_steps(folder.path(), 3);
  CHECK(folder.names().size() == 3);
  CHECK(std::filesystem::exists(folder / "events.out.tfevents.0000000001.other.1.0"));
}

TEST_CASE("a run that goes on in another folder takes the events along, and leaves those that are there") {
  const TemporaryFolder folder;
  LoggerState state;
  {
    TensorboardLogger logger(folder / "a", {});
    log_steps(logger, 0, 3);
    state = logger.state();
    log_steps(logger, 3, 2);
  }
  const std::string before = read_file(only_file_in(folder / "a"));
  TensorboardLogger logger(folder / "b", {}, state, folder / "a");
  log_steps(logger, 3, 1);
  check_steps(folder / "b", 4);
  CHECK(read_file(only_file_in(folder / "a")) == before);
}

TEST_CASE("events that are missing are named, and the run goes on with those that are there") {
  const TemporaryFolder folder;
  LoggerState state;
  {
    TensorboardLogger logger(folder.path(), {});
    log_steps(logger, 0, 3);
    state = logger.state();
  }
  const auto path = only_file_in(folder.path());
  const auto bytes = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, bytes - 1);  // step 2 is torn
  {
    TensorboardLogger logger(folder.path(), {}, state, folder.path());
    CHECK(logger.warning().starts_with(path.string() + " lacks "));
    CHECK(logger.warning().ends_with(" of the " + std::to_string(bytes) + " bytes until the checkpoint"));
    log_steps(logger, 2, 1);
    check_steps(folder.path(), 3);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::remove(entry.path());
  const TensorboardLogger logger(folder.path(), {}, state, folder.path());
  CHECK(logger.warning() == path.string() + " lacks " + std::to_string(bytes) + " of the " +
                                std::to_string(bytes) + " bytes until the checkpoint");
}

TEST_CASE("a state that names a file elsewhere is not followed") {
  for (const char* files : {"10 ../events.out.tfevents.1.a.1.0\n", "10 events.out.tfevents./../../x\n",
                            "10 x\n", "x\n", "10\n"}) {
    CAPTURE(files);
    CHECK_FALSE(event_position_of({{"files", files}, {"next_step", "3"}}));
  }
  const auto position =
      event_position_of({{"files", "10 events.out.tfevents.1.a b.1.0\n"}, {"next_step", "3"}});
  REQUIRE(position);
  CHECK(position->files.at(0).name == "events.out.tfevents.1.a b.1.0");
  CHECK(position->files.at(0).bytes == 10);
  CHECK(position->next_step == 3);
  CHECK(event_position_of({{"files", ""}, {"next_step", "0"}}));
}

TEST_CASE("event files of an earlier run are not mixed with those of a new one") {
  const TemporaryFolder folder;
  { TensorboardLogger logger(folder / "tb", {}); }
  CHECK_THROWS_WITH(TensorboardLogger(folder / "tb", {}), "cannot write to " + (folder / "tb").string() +
                                                              ": it holds the event files of an earlier run");
}

TEST_CASE("a full disk is named with the file, and whole events remain") {
  const TemporaryFolder folder;
  TensorboardLogger logger(folder.path(), {});
  log_steps(logger, 0, 2);
  const auto path = only_file_in(folder.path());
  const LoggerState state = logger.state();
  const auto bytes = std::filesystem::file_size(path);
  {
    const SmallDisk disk(bytes + 20);
    CHECK_THROWS_WITH(log_steps(logger, 2, 1), "cannot write " + path.string() + ": File too large");
  }
  CHECK(logger.state() == state);
  CHECK(std::filesystem::file_size(path) == bytes);
  check_steps(folder.path(), 2);
  log_steps(logger, 2, 1);
  check_steps(folder.path(), 3);
  CHECK_FALSE(read_events(folder.path()).back().contains("torn"));
}

TEST_CASE("a process that is killed leaves every event that it said it logged") {
  for (int attempt = 0; attempt < 5; ++attempt) {
    const TemporaryFolder folder;
    int said[2];
    REQUIRE(::pipe(said) == 0);
    const pid_t child = start_child([&] {
      TensorboardLogger logger(folder.path(), {});
      for (int64_t step = 0;; ++step) {
        log_steps(logger, step, 1);
        if (::write(said[1], &step, sizeof step) != sizeof step) ::_exit(1);
      }
    });
    ::close(said[1]);
    int64_t last = -1;
    for (int i = 0; i < 200 + 37 * attempt; ++i) REQUIRE(::read(said[0], &last, sizeof last) == sizeof last);
    ::kill(child, SIGKILL);
    CHECK(WTERMSIG(wait_for(child)) == SIGKILL);
    while (::read(said[0], &last, sizeof last) == sizeof last) continue;
    ::close(said[0]);
    const auto scalars = scalars_in(read_events(folder.path()));
    CHECK(std::ssize(scalars) >= last + 1);
    CHECK(scalars.at({"loss", last}) == last);
  }
}
