#include "config/configs.hpp"
#include "config/dump.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

/// The trainer of one more line.
TrainerSpec trainer_of(const std::string& line) {
  return spec_of(kModel + line + "\n").trainer;
}

/// What is said of one more line, without its place.
std::string said_of(const std::string& line) {
  const std::string text = problems_of(kModel + line + "\n");
  const auto end = text.find(": ");
  return end == std::string::npos ? "" : text.substr(end + 2);
}

/// The line of the dump that begins with `name`, after seeing that it reads back as the same.
std::string dumped(const std::string& line, const std::string& name) {
  const std::string text = dump(spec_of(kModel + line + "\n"));
  CHECK(dump(spec_of(text)) == text);
  const auto begin = text.find(" " + name + ": ") + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("max_time is a number of seconds, units, or days, hours, minutes and seconds") {
  const std::pair<std::string, double> cases[] = {{"90", 90},
                                                  {"0.5", 0.5},
                                                  {"1e3", 1000},
                                                  {"45s", 45},
                                                  {"1h30m", 5400},
                                                  {"2d", 172800},
                                                  {"1d2h3m4s", 93784},
                                                  {"00:01:30:00", 5400},
                                                  {"01:00:00:01", 86401},
                                                  {"\"00:00:00:10\"", 10},
                                                  {"\"90m\"", 5400}};
  for (const auto& [text, seconds] : cases) {
    CAPTURE(text);
    CHECK(trainer_of("max_time: " + text).max_time == seconds);
  }
  CHECK(trainer_of("max_time: null").max_time == std::nullopt);
  CHECK(trainer_of("seed: 1").max_time == std::nullopt);
  CHECK(dumped("max_time: 1h30m", "max_time") == "max_time: 5400.0");
}

TEST_CASE("what is no time, or none at all, is refused") {
  const std::string path = "trainer.max_time: ";
  for (const char* text : {"soon", "1h30", "h", "1x", "01:30:00", "1:2:3:4:5", "-1h", "1h-2m", "\"90\""}) {
    CAPTURE(text);
    CHECK_THAT(said_of("max_time: " + std::string(text)),
               Catch::Matchers::StartsWith(path + "expected a time (90, 1h30m or DD:HH:MM:SS), got "));
  }
  CHECK(said_of("max_time: 0") == path + "must be > 0, got 0");
  CHECK(said_of("max_time: -3") == path + "must be > 0, got -3");
  CHECK(said_of("max_time: 0s") == path + "must be > 0, got 0s");
  CHECK(said_of("max_time: 00:00:00:00") == path + "must be > 0, got 00:00:00:00");
  CHECK(said_of("max_time: \"\"") == path + "expected a time (90, 1h30m or DD:HH:MM:SS), got the text \"\"");
  CHECK_THAT(said_of("max_time: 010"), Catch::Matchers::Contains("a leading zero"));
  CHECK(said_of("max_time: .inf") == path + "must be finite, got .inf");
  CHECK(said_of("max_time: [1]") == path + "expected a time (90, 1h30m or DD:HH:MM:SS), got a list");
}

TEST_CASE("track_grad_norm is the order of a norm; null, 0 and less are off") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(trainer_of("track_grad_norm: 2").track_grad_norm == 2);
  CHECK(trainer_of("track_grad_norm: 1.5").track_grad_norm == 1.5);
  for (const char* text : {"inf", ".inf", "\"inf\""}) {
    CHECK(trainer_of(std::string("track_grad_norm: ") + text).track_grad_norm == kInfinity);
  }
  for (const char* off : {"-1", "0", "null", "0.0"}) {
    CHECK(trainer_of(std::string("track_grad_norm: ") + off).track_grad_norm == std::nullopt);
  }
  CHECK(said_of("track_grad_norm: max") ==
        "trainer.track_grad_norm: expected a number, inf or null, got 'max'");
  CHECK(said_of("track_grad_norm: .nan") == "trainer.track_grad_norm: must be finite, got .nan");
  CHECK(dumped("track_grad_norm: .inf", "track_grad_norm") == "track_grad_norm: inf");
  CHECK(dumped("track_grad_norm: 2", "track_grad_norm") == "track_grad_norm: 2.0");
  CHECK(dumped("track_grad_norm: -1", "track_grad_norm") == "track_grad_norm: null");
}

TEST_CASE("val_check_interval is a count or a fraction, and never 0") {
  CHECK(trainer_of("val_check_interval: 3").val_check_interval == Limit::of_count(3));
  CHECK(trainer_of("val_check_interval: 0.5").val_check_interval.text() == "0.5");
  CHECK(trainer_of("val_check_interval: 1.0").val_check_interval == Limit::all());
  const std::string path = "trainer.val_check_interval: ";
  CHECK(said_of("val_check_interval: 0") == path + "must be > 0, got 0");
  CHECK(said_of("val_check_interval: 0.0") == path + "must be > 0, got 0.0");
  CHECK_THAT(said_of("val_check_interval: 1.5"), Catch::Matchers::Contains("a fraction must be at most 1.0"));
  CHECK_THAT(said_of("val_check_interval: -1"), Catch::Matchers::Contains("must not be negative"));
}

TEST_CASE("on_nonfinite is stop, skip or null") {
  CHECK(trainer_of("on_nonfinite: stop").on_nonfinite == OnNonfinite::stop);
  CHECK(trainer_of("on_nonfinite: skip").on_nonfinite == OnNonfinite::skip);
  CHECK(trainer_of("on_nonfinite: null").on_nonfinite == std::nullopt);
  CHECK(said_of("on_nonfinite: skp") ==
        "trainer.on_nonfinite: expected stop or skip, got 'skp' (did you mean skip?)");
  CHECK(dumped("on_nonfinite: skip", "on_nonfinite") == "on_nonfinite: skip");
}

TEST_CASE("profiler is simple, chrome or null; true is simple") {
  for (const char* on : {"simple", "true", "\"simple\""}) {
    CHECK(trainer_of(std::string("profiler: ") + on).profiler == Profiler::simple);
  }
  for (const char* off : {"null", "false"}) {
    CHECK(trainer_of(std::string("profiler: ") + off).profiler == Profiler::none);
  }
  CHECK(said_of("profiler: advanced") == "trainer.profiler: expected simple, chrome or null, got 'advanced'");
  CHECK(said_of("profiler: \"true\"") ==
        "trainer.profiler: expected simple, chrome or null, got the text \"true\"");
  CHECK(trainer_of("profiler: chrome").profiler == Profiler::chrome);
  CHECK(said_of("profiler: crome") ==
        "trainer.profiler: expected simple, chrome or null, got 'crome' (did you mean chrome?)");
  CHECK(dumped("profiler: chrome", "profiler") == "profiler: chrome");
  CHECK(dumped("profiler: true", "profiler") == "profiler: simple");
  CHECK(dumped("profiler: false", "profiler") == "profiler: null");
}

TEST_CASE("precision is a number or bf16, with quotes or without") {
  CHECK(trainer_of("precision: 32").precision == Precision::float32);
  CHECK(trainer_of("precision: \"32\"").precision == Precision::float32);
  CHECK(trainer_of("precision: 64").precision == Precision::float64);
  CHECK(trainer_of("precision: 16").precision == Precision::float16);
  CHECK(trainer_of("precision: bf16").precision == Precision::bfloat16);
  CHECK(said_of("precision: 8") == "trainer.precision: expected 32, 64, 16 or bf16, got '8'");
  CHECK(said_of("precision: 32.0") == "trainer.precision: expected 32, 64, 16 or bf16, got '32.0'");
  CHECK(dumped("precision: 64", "precision") == "precision: 64");
  CHECK(dumped("precision: bf16", "precision") == "precision: bf16");
}

TEST_CASE("an accelerator is a kind of device, and gpu is cuda") {
  CHECK(trainer_of("accelerator: auto").accelerator == Accelerator::any);
  CHECK(trainer_of("accelerator: cpu").accelerator == Accelerator::cpu);
  CHECK(trainer_of("accelerator: cuda").accelerator == Accelerator::cuda);
  CHECK(trainer_of("accelerator: gpu").accelerator == Accelerator::cuda);
  CHECK(said_of("accelerator: tpu") ==
        "trainer.accelerator: expected auto, cpu, cuda or gpu, got 'tpu' (did you mean cpu?)");
  CHECK(dumped("accelerator: gpu", "accelerator") == "accelerator: cuda");
}

TEST_CASE("settings that may be off are null, and have a range when they are on") {
  CHECK(trainer_of("min_epochs: 2").min_epochs == 2);
  CHECK(trainer_of("min_steps: 5").min_steps == 5);
  CHECK(trainer_of("max_epochs: -1").max_epochs == -1);
  CHECK(trainer_of("overfit_batches: 0.25").overfit_batches.text() == "0.25");
  CHECK(said_of("min_epochs: 0") == "trainer.min_epochs: must be >= 1, got 0");
  CHECK(said_of("min_steps: 0") == "trainer.min_steps: must be >= 1, got 0");
  CHECK(said_of("check_val_every_n_epoch: 0") == "trainer.check_val_every_n_epoch: must be >= 1, got 0");
  CHECK(said_of("progress_bar_refresh_rate: -1") ==
        "trainer.progress_bar_refresh_rate: must be >= 0, got -1");
  CHECK(said_of("log_save_interval: 0") == "trainer.log_save_interval: must be >= 1, got 0");
}

TEST_CASE("every word of a choice in a block reads back from the dump") {
  for (const char* line : {"optimizer: {type: lbfgs, line_search_fn: strong_wolfe}",
                           "scheduler: {type: one_cycle, anneal_strategy: linear, three_phase: true}",
                           "scheduler: {type: reduce_on_plateau, mode: max, threshold_mode: abs}",
                           "callbacks: [{type: early_stopping, mode: max, stopping_threshold: 0.5}]"}) {
    CAPTURE(line);
    const auto word = std::string(line).substr(std::string(line).rfind(", ") + 2);
    CHECK_THAT(dump(spec_of(kModel + line + "\n")),
               Catch::Matchers::Contains(word.substr(0, word.find_first_of("}"))));
  }
  const auto spec =
      spec_of(kModel + "scheduler: {type: reduce_on_plateau, mode: max, threshold_mode: abs}\n");
  const auto& plateau = std::get<ReduceOnPlateauSpec>(spec.scheduler->shape);
  CHECK(plateau.mode == Mode::max);
  CHECK(plateau.threshold_mode == ThresholdMode::abs);
}

TEST_CASE("a schedule without its length goes to the end of the run") {
  const auto cosine = spec_of(kModel + "scheduler: {type: cosine, warmup: 5}\n").scheduler;
  CHECK(std::get<CosineSpec>(cosine->shape).t_max == std::nullopt);
  CHECK(cosine->warmup == 5);
  CHECK(cosine->warmup_start_factor == 0.01);
  CHECK(said_of("scheduler: {type: one_cycle, pct_start: 1}") ==
        "scheduler.pct_start: must be >= 0 and < 1, got 1");
  CHECK(said_of("scheduler: {type: one_cycle, total_steps: 1}") ==
        "scheduler.total_steps: must be >= 2, got 1");
  CHECK(said_of("scheduler: {type: linear, start_factor: 0}") ==
        "scheduler.start_factor: must be > 0, got 0");
}
