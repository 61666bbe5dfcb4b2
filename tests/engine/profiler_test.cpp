#include "engine/profiler.hpp"
#include "engine/tiny_run.hpp"
#include "support/catch.hpp"
#include "support/chrome_trace_file.hpp"

#include <ATen/record_function.h>

#include <pthread.h>

#include <stdexcept>
#include <thread>

using namespace lightrun;
using lightrun::test::Linear;
using lightrun::tests::read_chrome_trace;
using lightrun::tests::TemporaryFolder;

namespace {

/// Trains two batches with this profiler. Whether operators were being recorded, in each training step.
std::vector<bool> operators_recorded(std::unique_ptr<engine::Profiler> profiler, bool throws = false) {
  std::vector<bool> recorded;
  const auto model = Linear::counting(2);
  model->on_step = [&](const StepInfo& info) {
    recorded.push_back(at::hasCallbacks());
    if (throws && info.batch_idx == 1) throw std::runtime_error("boom");
  };
  const auto run = test::make_run(model, {.max_epochs = 1});
  run->profiler = std::move(profiler);
  run->connect();
  try {
    engine::fit(*run);
  } catch (const std::runtime_error&) {
    CHECK(throws);
  }
  return recorded;
}

void add_event(engine::ChromeTrace& trace, engine::ChromeTrace::Category category, std::string_view name) {
  const auto start = engine::tick();
  trace.add(category, name, start, engine::tick());
}

}  // namespace

TEST_CASE("operators are recorded for a trace only, and LibTorch keeps no callback after the run") {
  REQUIRE_FALSE(at::hasCallbacks());
  CHECK(operators_recorded(nullptr) == std::vector{false, false});
  CHECK(operators_recorded(std::make_unique<engine::Profiler>()) == std::vector{false, false});
  const TemporaryFolder folder;
  for (const bool throws : {false, true}) {
    CHECK(operators_recorded(std::make_unique<engine::Profiler>(folder.path()), throws) ==
          std::vector{true, true});
    CHECK_FALSE(at::hasCallbacks());
  }
}

TEST_CASE("the table has the longest action first, whatever it is called") {
  engine::Profiler profiler;
  const auto start = engine::tick();
  for (const auto& [action, seconds] : {std::pair{"b", 1}, {"a", 1}, {"c", 3}, {"a", 1}})
    profiler.add(action, start, start + std::chrono::seconds(seconds));
  const auto lines = profiler.table();
  REQUIRE(lines.size() >= 4);
  std::string order;
  for (const auto& line : lines)
    if (line.size() > 1 && line[1] == ' ') order += line[0];
  CHECK(order == "cab");
}

TEST_CASE("operators are no longer recorded once a trace has as many as it takes") {
  const TemporaryFolder folder;
  auto profiler = std::make_unique<engine::Profiler>(
      folder.path(), engine::ChromeTrace::Limits{.hooks = 20, .operators = 3});
  CHECK(operators_recorded(std::move(profiler)).back() == false);
  const auto trace = read_chrome_trace(folder / "profile.json");
  const auto hooks = std::ranges::count(trace.events, "hook", &lightrun::tests::CompleteEvent::category);
  CHECK(hooks == 20);
  CHECK(trace.events.size() == 23);
}

TEST_CASE("a trace that cannot be written takes no operators") {
  const TemporaryFolder folder;
  CHECK(operators_recorded(std::make_unique<engine::Profiler>(folder / "not there")) ==
        std::vector{false, false});
}

TEST_CASE("each thread has a track of its own in a trace, under its name") {
  const TemporaryFolder folder;
  {
    engine::Profiler profiler(folder.path());
    const engine::Profiler::Timed timed(&profiler, "training_step");
    std::thread([] {
      ::pthread_setname_np(::pthread_self(), "augmenter");
      static_cast<void>(torch::ones({2, 2}).mm(torch::ones({2, 2})));
    }).join();
    static_cast<void>(torch::ones({2}).neg());
  }
  const auto trace = read_chrome_trace(folder / "profile.json");
  REQUIRE(trace.count("aten::mm") == 1);
  REQUIRE(trace.count("aten::neg") == 1);
  CHECK(trace.thread_names.at(trace.named("aten::mm")[0].tid) == "augmenter");
  CHECK(trace.thread_names.at(trace.named("aten::neg")[0].tid) == "training");
}

TEST_CASE("a trace is whole JSON at every moment, whatever the names in it") {
  const TemporaryFolder folder;
  engine::ChromeTrace trace(folder.path());
  CHECK(read_chrome_trace(folder / "profile.json").events.empty());
  add_event(trace, engine::ChromeTrace::Category::op, "quote \" line\n byte \xff");
  add_event(trace, engine::ChromeTrace::Category::op, std::string(100'000, 'x'));
  CHECK(read_chrome_trace(folder / "profile.json").events.empty());
  trace.write_if_due();  // it is much
  const auto file = read_chrome_trace(folder / "profile.json");
  REQUIRE(file.events.size() == 2);
  CHECK(file.events[0].name == "quote \" line\n byte \ufffd");
  trace.close();
  add_event(trace, engine::ChromeTrace::Category::hook, "late");
  CHECK(read_chrome_trace(folder / "profile.json").events.size() == 2);
}

TEST_CASE("a trace counts what it has no room for") {
  const TemporaryFolder folder;
  engine::ChromeTrace trace(folder.path(), {.hooks = 2, .operators = 9});
  for (const char* name : {"a", "b", "c"}) add_event(trace, engine::ChromeTrace::Category::hook, name);
  trace.close();
  CHECK(read_chrome_trace(folder / "profile.json").events.size() == 2);
  CHECK(trace.summary() ==
        (folder / "profile.json").string() +
            ": hooks and operators over time, for ui.perfetto.dev; only the first 2 hooks");
}
