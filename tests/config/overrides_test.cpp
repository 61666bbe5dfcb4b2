#include "config/overrides.hpp"

#include "config/configs.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

using Flags = std::vector<std::string>;

/// The usage error of these flags.
std::string usage(const Flags& flags, const std::string& yaml = kModel) {
  const auto refused = Configs({yaml}).refused(flags);
  CHECK(refused.exit_code == ExitCode::usage);
  return refused.text;
}

const std::string kTwo = kModel + "callbacks: [model_checkpoint, {type: early_stopping, monitor: b}]\n";

std::vector<std::string> monitors(const RunSpec& spec) {
  std::vector<std::string> names;
  for (const auto& callback : spec.callbacks) {
    if (const auto* checkpoint = std::get_if<ModelCheckpointSpec>(&callback))
      names.push_back(checkpoint->monitor.value_or("null"));
    else
      names.push_back(std::get<EarlyStoppingSpec>(callback).monitor);
  }
  return names;
}

}  // namespace

TEST_CASE("a flag is a dotted path, with a blank or =, with - or _, or just the last name") {
  for (const Flags& flags :
       {Flags{"--trainer.max_epochs", "3"}, Flags{"--trainer.max_epochs=3"}, Flags{"--max_epochs", "3"},
        Flags{"--max-epochs=3"}, Flags{"--trainer.max-epochs", "3"}}) {
    CAPTURE(flags);
    CHECK(spec_of(kModel + "max_epochs: 9\n", flags).trainer.max_epochs == 3);
  }
  CHECK(spec_of(kModel, {"--plugin", "other"}).model.plugin == "other");
  CHECK(std::get<AdamSpec>(spec_of(kModel + "optimizer: adam\n", {"--lr", "0.5"}).optimizer->kind).lr == 0.5);
}

TEST_CASE("a flag needs no file and no section in it") {
  const auto spec =
      resolve({}, {"--model.plugin", "m", "--optimizer.type", "sgd", "--optimizer.lr=1", "--run.name", "x"})
          .spec;
  CHECK(spec.model.plugin == "m");
  CHECK(std::get<SgdSpec>(spec.optimizer->kind).lr == 1);
  CHECK(spec.origins.at("optimizer.lr").text() == "--optimizer.lr");
}

TEST_CASE("the value of a flag is YAML") {
  CHECK(spec_of(kModel, {"--accumulate_grad_batches", "{0: 1, 4: 2}"}).trainer.accumulate_grad_batches ==
        AccumulationSchedule{{0, 1}, {4, 2}});
  CHECK(spec_of(kModel + "max_steps: 4\n", {"--max_steps", "null"}).trainer.max_steps == std::nullopt);
  CHECK(spec_of(kModel, {"--num_sanity_val_steps", "-1"}).trainer.num_sanity_val_steps == -1);
  CHECK(spec_of(kModel, {"--trainer", "{max_epochs: 3}", "--trainer", "{max_steps: 4}"}).trainer.max_epochs ==
        3);
  const ScopedVariable epochs("LIGHTRUN_TEST_EPOCHS", "5");
  CHECK(spec_of(kModel, {"--max_epochs", "${env:LIGHTRUN_TEST_EPOCHS}"}).trainer.max_epochs == 5);
}

TEST_CASE("H20: 1.0 on the command line stays all") {
  CHECK(spec_of(kModel, {"--trainer.limit_train_batches", "1.0"}).trainer.limit_train_batches ==
        Limit::all());
  CHECK(spec_of(kModel, {"--trainer.limit_train_batches", "1"}).trainer.limit_train_batches ==
        Limit::of_count(1));
}

TEST_CASE("of the same flag twice the last wins") {
  CHECK(spec_of(kModel, {"--max_epochs", "3", "--trainer.max_epochs", "4"}).trainer.max_epochs == 4);
}

TEST_CASE("H16: a wrong value on a flag is a usage error that shows the flag") {
  CHECK(usage({"--trainer.max_epochs", "010"}) ==
        "--trainer.max_epochs: expected a whole number, got '010': a leading zero is octal to some readers "
        "and decimal to others: write 10");
  CHECK(usage({"--max-epochs", "five"}) ==
        "--max-epochs: trainer.max_epochs: expected a whole number, got 'five'");
  CHECK(usage({"--max_epochs="}) == "--max_epochs: trainer.max_epochs: expected a whole number, got null");
  CHECK(usage({"--callbacks", "[a"}) == "--callbacks: the [ is never closed");
  CHECK(usage({"--devices", "[0, 0]"}) == "--devices: trainer.devices: cuda:0 is given twice");
}

TEST_CASE("H17: an unknown flag is refused with the nearest") {
  const std::pair<std::string, std::string> cases[] = {
      {"--max_epoch", "there is no option --max_epoch (did you mean --max_epochs?)"},
      {"--max-epoch", "there is no option --max-epoch (did you mean --max_epochs?)"},
      {"--trainer.max_epoch", "there is no option --trainer.max_epoch (did you mean --trainer.max_epochs?)"},
      {"--trianer.max_epochs",
       "there is no option --trianer.max_epochs (did you mean --trainer.max_epochs?)"},
      {"--trainer.lr", "there is no option --trainer.lr (did you mean --optimizer.lr?)"},
      {"--trainer.banana", "there is no option --trainer.banana (lightrun reference lists all settings)"},
      {"--data.banana",
       "there is no option --data.banana (known here: batch_size, shuffle, drop_last, "
       "workers, prefetch, train, val, test, predict, normalize)"},
      {"--monitor", "--monitor may be --scheduler.monitor or --callbacks.0.monitor: write it in full"},
      {"--min_delta", "there is no option --min_delta (did you mean --callbacks.0.min_delta?)"},
      {"--hidden", "there is no option --hidden (a parameter of the model is --model.params.hidden)"},
      {"--optimizer.betas.0", "there is no option --optimizer.betas.0 (did you mean --optimizer.betas?)"},
      {"--callbacks.x", "there is no option --callbacks.x (did you mean --callbacks?)"},
      {"--name", "--name may be --run.name, --model.name, "},
  };
  for (const auto& [flag, problem] : cases) {
    CAPTURE(flag);
    CHECK_THAT(usage({flag, "1"}), Catch::Matchers::StartsWith(problem));
  }
}

TEST_CASE("the program's own flags are suggested too") {
  CHECK_THROWS_WITH(resolve({}, {"--model.plugin=m", "--quite=1"}, {.flags = {"--quiet", "--verbose"}}),
                    "there is no option --quite (did you mean --quiet?)");
  CHECK_THROWS_WITH(resolve({}, {"--model.plugin=m", "--quite", "--run.banana=1"},
                            {.command = "lightrun plan", .flags = {"--quiet"}}),
                    "lightrun plan: there is no option --quite (did you mean --quiet?); see lightrun plan "
                    "--help\n"
                    "lightrun plan: there is no option --run.banana (known here: dir, name, folder, "
                    "checkpoint_dir)");
}

TEST_CASE("a flag without a value and a stray word are usage errors") {
  CHECK(usage({"--max_epochs"}) == "--max_epochs: needs a value");
  CHECK(usage({"--max_epochs", "--seed", "1"}) == "--max_epochs: needs a value");
  CHECK(usage({"stray", "--seed", "1", "word"}) ==
        "unexpected argument 'stray' (settings are --name value)\nunexpected argument 'word' (settings are "
        "--name value)");
}

TEST_CASE("problems of files come before those of flags, and a flag makes it a usage error") {
  const auto refused = Configs({kModel + "max_step: 3\n"}).refused({"--max_epoch", "2"});
  CHECK(refused.exit_code == ExitCode::usage);
  CHECK(refused.text ==
        "a.yaml:2:1: max_step: unknown key (did you mean max_steps?)\n"
        "there is no option --max_epoch (did you mean --max_epochs?)");
  CHECK(Configs({kModel + "max_step: 3\n"}).refused({"--max_epochs", "2"}).exit_code == ExitCode::config);
}

TEST_CASE("H33: a list is replaced, appended to, or changed by index") {
  using Names = std::vector<std::string>;
  CHECK(monitors(spec_of(kTwo)) == Names{"val_loss", "b"});
  CHECK(monitors(spec_of(kTwo, {"--callbacks", "[{type: early_stopping, monitor: c}]"})) == Names{"c"});
  CHECK(monitors(spec_of(kTwo, {"--callbacks+", "{type: early_stopping, monitor: c}"})) ==
        Names{"val_loss", "b", "c"});
  CHECK(monitors(spec_of(kTwo, {"--callbacks+", "early_stopping"})) == Names{"val_loss", "b", "val_loss"});
  CHECK(monitors(spec_of(kTwo, {"--callbacks+", "[early_stopping, early_stopping]"})).size() == 4);
  CHECK(monitors(spec_of(kTwo, {"--callbacks.1.monitor", "c"})) == Names{"val_loss", "c"});
  CHECK(monitors(spec_of(kTwo, {"--callbacks.0.monitor", "c"})) == Names{"c", "b"});
  CHECK(monitors(spec_of(kTwo, {"--callbacks.0", "{type: early_stopping, monitor: c}"})) == Names{"c", "b"});
  CHECK(monitors(spec_of(kModel, {"--callbacks+", "model_checkpoint", "--callbacks.0.monitor", "c"})) ==
        Names{"c"});
  const auto appended = spec_of(kModel + "loggers: []\n", {"--loggers+", "csv"});
  CHECK(appended.loggers.size() == 1);
  CHECK(appended.origins.at("loggers.0").text() == "--loggers+");
  CHECK(
      usage({"--loggers+", "csv"}) ==  // the default one stays
      "--loggers+: loggers.1: would write the same metrics.csv as loggers.0: give one of them another name");
}

TEST_CASE("H33: an index beyond the list names itself and the length") {
  CHECK(usage({"--callbacks.7.x", "1"}, kTwo) ==
        "--callbacks.7.x: callbacks has 2 entries, so there is no index 7 (from 0)");
  CHECK(usage({"--callbacks.0.monitor", "x"}) ==
        "--callbacks.0.monitor: callbacks has 0 entries, so there is no index 0 (from 0)");
  CHECK(usage({"--callbacks.0.patience", "5"}, kTwo) ==
        "--callbacks.0.patience: unknown key (model_checkpoint has no patience; early_stopping has)");
  CHECK(usage({"--devices+", "cpu"}) == "--devices+: only to callbacks and loggers can be appended");
}

TEST_CASE("another type by flag replaces the block, but not what flags have set in it") {
  const std::string adam = kModel + "optimizer: {type: adam, lr: 0.5, amsgrad: true}\n";
  CHECK(std::get<SgdSpec>(spec_of(adam, {"--optimizer.type", "sgd"}).optimizer->kind).lr == 0.01);
  CHECK(std::get<SgdSpec>(spec_of(adam, {"--optimizer.type", "sgd", "--optimizer.lr", "2"}).optimizer->kind)
            .lr == 2);
  CHECK(std::get<SgdSpec>(spec_of(adam, {"--optimizer.lr", "2", "--optimizer.type", "sgd"}).optimizer->kind)
            .lr == 2);
  CHECK(std::get<AdamSpec>(spec_of(adam, {"--optimizer.type", "adam"}).optimizer->kind).amsgrad);
  CHECK(std::get<AdamSpec>(spec_of(adam, {"--optimizer", "{lr: 2}"}).optimizer->kind).amsgrad);
  CHECK(std::get<SgdSpec>(spec_of(adam, {"--optimizer", "sgd"}).optimizer->kind).lr == 0.01);
  CHECK_FALSE(spec_of(adam, {"--optimizer", "null"}).optimizer);
  CHECK(usage({"--optimizer.lr", "2"}) ==
        "--optimizer.lr: optimizer.type: missing: one of sgd, adam, adamw, rmsprop, adagrad, lbfgs");
}

TEST_CASE("another type by flag says what it drops") {
  const auto warnings = [](const std::string& yaml, const Flags& flags) {
    const Configs configs({kModel + yaml});
    std::vector<std::string> texts;
    for (const std::string& text : configs.resolve(flags).warnings) texts.push_back(configs.relative(text));
    return texts;
  };
  const std::string adam = "optimizer:\n  type: adam\n  lr: 0.5\n  betas: [0.5, 0.5]\n";
  CHECK(warnings(adam, {"--optimizer.type", "sgd"}) ==
        Texts{"--optimizer.type: sgd replaces adam of a.yaml:3: its lr and betas are dropped"});
  CHECK(warnings(adam, {"--optimizer", "{type: sgd, lr: 2}"}) ==
        Texts{"--optimizer: sgd replaces adam of a.yaml:3: its lr and betas are dropped"});
  CHECK(warnings("callbacks: [{type: early_stopping, patience: 3}]\n",
                 {"--callbacks.0.type", "model_checkpoint"}) ==
        Texts{"--callbacks.0.type: model_checkpoint replaces early_stopping of a.yaml:2: its patience is "
              "dropped"});
  CHECK(warnings(adam, {"--optimizer.type", "adam"}).empty());
  CHECK(warnings("optimizer: adam\n", {"--optimizer.type", "sgd"}).empty());
  CHECK(warnings("optimizer: adam\n", {"--optimizer.lr=3", "--optimizer.type=sgd"}).empty());
}

TEST_CASE("what a flag's type misses, and a key given twice in a flag's value, are the flag's faults") {
  CHECK(usage({"--scheduler.type", "multi_step"}, kModel + "scheduler: cosine\n") ==
        "--scheduler.type: scheduler.milestones: missing: epochs (or steps) at which the learning rate "
        "decays");
  CHECK(usage({"--optimizer.type", "null"}, kModel + "optimizer: adam\n") ==
        "--optimizer.type: expected sgd, adam, adamw, rmsprop, adagrad or lbfgs, got null");
  CHECK(usage({"--trainer", "{max_epochs: 1, max_epochs: 2}"}) == "--trainer: max_epochs: given twice");
}

TEST_CASE("parameters of the model are set one by one, at any depth") {
  const std::string yaml = "model: {plugin: m, params: {hidden: 3, in: {a: 1}}}\n";
  const auto spec =
      spec_of(yaml, {"--model.params.hidden", "64", "--model.params.in.b=2", "--model.params.new", "[1, 2]"});
  CHECK(spec.model.params.find("hidden")->text == "64");
  CHECK(spec.model.params.find("in")->find("a")->text == "1");
  CHECK(spec.model.params.find("in")->find("b")->text == "2");
  CHECK(spec.model.params.find("new")->items.size() == 2);
  CHECK(spec.origins.at("model.params.hidden").text() == "--model.params.hidden");
  CHECK(usage({"--model.params..x", "1"}).starts_with("there is no option --model.params..x"));
}
