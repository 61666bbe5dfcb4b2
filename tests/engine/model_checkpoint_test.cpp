// Which checkpoints model_checkpoint asks for, under which names.

#include "callbacks/model_checkpoint.hpp"

#include "engine/checkpoint_name.hpp"
#include "engine/tiny_run.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using namespace lightrun::test;

namespace {

/// What was asked for over a run with these values of val_loss, one validation an epoch: "a" a save, "-a" a
/// deletion.
std::vector<std::string> requests(const std::vector<double>& values, const std::string& pattern,
                                  callbacks::ModelCheckpoint::Rule rule,
                                  const std::string& metric = "val_loss") {
  auto run = make_run(Validated::counting(2, values),
                      {.max_epochs = static_cast<int64_t>(values.size()), .num_sanity_val_steps = 0});
  rule.file_name = [pieces = *config::parse_checkpoint_name(pattern).value](const Context& context) {
    return engine::checkpoint_name(pieces, context);
  };
  add<callbacks::ModelCheckpoint>(*run, callbacks::Monitor::Options{.metric = metric}, rule);
  std::vector<std::string> asked;
  record(*run).at = [&](Event event, Context&) {
    if (event != Event::on_validation_end && event != Event::on_train_epoch_end) return;
    for (const auto& request : run->requests.saves) {
      asked.push_back(request.name);
      for (const auto& replaced : request.replaces) asked.push_back("-" + replaced);
    }
    run->requests.saves.clear();
  };
  engine::fit(*run);
  return asked;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the best k are kept, the worst of them goes") {
  const Names asked = requests({5, 4, 6, 3}, "{epoch}-{val_loss:.1f}", {.save_top_k = 2, .save_last = false});
  CHECK(asked == Names{"epoch=0-val_loss=5.0", "epoch=1-val_loss=4.0", "epoch=3-val_loss=3.0",
                       "-epoch=0-val_loss=5.0"});
}

TEST_CASE("of one best checkpoint a better one takes the place, under the same name") {
  CHECK(requests({5, 4, 6}, "best", {.save_last = false}) == Names{"best", "best"});
}

TEST_CASE("checkpoints that are kept never have the same name") {
  CHECK(requests({5, 4, 3}, "same", {.save_top_k = 3, .save_last = false}) ==
        Names{"same", "same-v1", "same-v2"});
}

TEST_CASE("save_top_k -1 keeps all, 0 none") {
  CHECK(requests({5, 6}, "{epoch}", {.save_top_k = -1, .save_last = false}) == Names{"epoch=0", "epoch=1"});
  CHECK(requests({5, 6}, "{epoch}", {.save_top_k = 0}) == Names{"last", "last"});
}

TEST_CASE("without a metric the newest are kept") {
  CHECK(requests({1, 2, 3}, "{epoch}-{step}", {.save_top_k = 2, .save_last = false}, "") ==
        Names{"epoch=0-step=2", "epoch=1-step=4", "epoch=2-step=6", "-epoch=0-step=2"});
}

TEST_CASE("every_n_epochs holds for last.ckpt and for the metric") {
  CHECK(requests({5, 4, 3, 2}, "{epoch}", {.save_top_k = -1, .every_n_epochs = 2}) ==
        Names{"epoch=1", "last", "epoch=3", "last"});
}

TEST_CASE("every_n_train_steps counts optimizer steps, over epochs") {
  auto run = make_run(Linear::counting(5), {.max_epochs = 2, .accumulate_grad_batches = {{0, 2}}});
  add<callbacks::ModelCheckpoint>(
      *run, callbacks::Monitor::Options{.metric = ""},
      callbacks::ModelCheckpoint::Rule{.save_top_k = 0, .every_n_epochs = 0, .every_n_train_steps = 4});
  std::vector<int64_t> steps;
  record(*run).at = [&](Event event, Context& context) {
    if (event == Event::on_train_batch_end && !run->requests.saves.empty())
      steps.push_back(context.steps_done());
  };
  engine::fit(*run);
  CHECK(steps == std::vector<int64_t>{4});
}

TEST_CASE("every_n_minutes looks at the clock after each batch") {
  const auto saves = [](std::chrono::duration<double> every) {
    auto run = make_run(Linear::counting(5), {.max_epochs = 1});
    add<callbacks::ModelCheckpoint>(
        *run, callbacks::Monitor::Options{.metric = ""},
        callbacks::ModelCheckpoint::Rule{.save_top_k = 0, .every_n_epochs = 0, .every = every});
    int64_t count = 0;
    record(*run).at = [&](Event event, Context&) {
      if (event == Event::on_train_batch_end) count += std::ssize(run->requests.saves);
    };
    engine::fit(*run);
    return count;
  };
  CHECK(saves(std::chrono::seconds(0)) == 5);
  CHECK(saves(std::chrono::hours(1)) == 0);
}
