#include "plugin/load.hpp"

#include "plugin/test_files.hpp"
#include "support/catch.hpp"

#include <lightrun/plugin_note.hpp>

#include <torch/nn/modules/linear.h>

#include <elf.h>

#include <vector>

using namespace lightrun::test;
using lightrun::Params;
using lightrun::ParamValue;
using lightrun::plugin::create;
using lightrun::plugin::load_callback;
using lightrun::plugin::load_model;
using lightrun::plugin::load_source;
using lightrun::plugin::LoadedModel;

namespace {

using Folders = std::vector<std::string>;

std::string load_refusal(const std::string& plugin, const std::string& name = "",
                         const Folders& folders = {}) {
  return refusal_of([&] { (void)load_model(plugin, name, folders); });
}

std::string create_refusal(const std::string& name) {
  const LoadedModel model = load_model(built("throwing"), name, {});
  return refusal_of([&] { (void)create(model, Params()); });
}

}  // namespace

TEST_CASE("a model found by its name is opened, described and built") {
  const LoadedModel model = load_model("good", "", {built_folder("good").string()});
  CHECK(model.name == "good");
  CHECK(model.help == "One linear layer");
  CHECK(model.path == built("good"));
  CHECK(model.directory == fs::canonical(built_folder("good")).string());
  REQUIRE(model.parameters.size() == 1);
  CHECK(model.parameters[0].name == "width");
  CHECK(model.parameters[0].default_value == ParamValue(int64_t{4}));

  const auto module = create(model, Params({{"width", ParamValue(int64_t{6})}}, model.directory));
  const auto& parameters = module->named_parameters();
  CHECK(parameters["layer.weight"].sizes() == torch::IntArrayRef({6, 3}));
}

TEST_CASE("a plugin built with an older minor SDK version trains") {
  const TempFolder folder;
  const std::string bytes = read_bytes(built("good"));
  const std::size_t version = bytes.find(std::string("lightrun\0\0\0\0", 12)) + 12;
  const std::string path = write_bytes(folder / "old.so", patched(bytes, version, uint32_t{3000}));
  const LoadedModel model = load_model(path, "", {});
  CHECK(create(model, Params({{"width", ParamValue(int64_t{2})}}, model.directory)) != nullptr);
}

TEST_CASE("a source found by its name is opened, described and built") {
  const auto source = load_source("numbers", "", {built_folder("no_model").string()});
  CHECK(source.help == "The first whole numbers");
  REQUIRE(source.parameters.size() == 1);
  CHECK(source.parameters[0].name == "count");
  const lightrun::DataLoader data = create(source, Params({{"count", ParamValue(int64_t{3})}}, ""));
  REQUIRE(data.dataset != nullptr);
  CHECK(data.dataset->size() == 3);
}

TEST_CASE("a callback found by its name is called for the hooks that it overrides") {
  const auto loaded = load_callback("numbers", "", {built_folder("no_model").string()});
  const auto callback = create(loaded, Params());
  CHECK(callback->wants().contains(lightrun::Event::on_train_start));
  CHECK_FALSE(callback->wants().contains(lightrun::Event::on_train_end));
}

TEST_CASE("what is there of another kind is no answer") {
  CHECK(contains(load_refusal(built("no_model")), built("no_model") + ": a plugin, but it has no model"));
  CHECK(contains(refusal_of([] { (void)load_source(built("good"), "good", {}); }), "it has no source"));
  CHECK(contains(refusal_of([] { (void)load_callback("number", "", {built_folder("no_model").string()}); }),
                 "no plugin has a callback called 'number' (did you mean numbers?); there are numbers"));
}

TEST_CASE("types cross the border: a module of a plugin is what it is") {
  const LoadedModel model = load_model(built("good"), "", {});
  const std::shared_ptr<torch::nn::Module> module =
      create(model, Params({{"width", ParamValue(int64_t{2})}}, model.directory));
  CHECK(dynamic_cast<lightrun::Module*>(module.get()) != nullptr);
  const auto children = module->children();
  REQUIRE(children.size() == 1);
  CHECK(children[0]->as<torch::nn::Linear>() != nullptr);
  CHECK(dynamic_cast<torch::nn::LinearImpl*>(children[0].get()) != nullptr);
}

TEST_CASE("a path through a link leads to the folder of the file itself") {
  const TempFolder folder;
  fs::create_symlink(built("good"), folder / "link.so");
  const LoadedModel model = load_model(folder / "link.so", "", {});
  CHECK(model.path == folder / "link.so");
  CHECK(model.directory == fs::canonical(built_folder("good")).string());
}

TEST_CASE("a library with several models wants to be told which") {
  CHECK(load_model(built("two"), "two_second", {}).name == "two_second");
  CHECK(load_model("two_first", "", {built_folder("two").string()}).name == "two_first");
  const std::string which = load_refusal(built("two"));
  CHECK(contains(which, built("two") + ": it has several models; say which in model.name: two_"));
  CHECK(contains(which, "two_first"));
  CHECK(contains(which, "two_second"));
  CHECK(contains(load_refusal(built("two"), "two_third"), "no model called 'two_third'"));
  CHECK(contains(load_refusal("two_first", "two_second", {built_folder("two").string()}), "model.name"));
}

TEST_CASE("an unknown name is answered with the nearest, all there are, and where was looked") {
  const std::string text =
      load_refusal("two_frist", "", {built_folder("two").string(), built_folder("good").string()});
  CHECK(is_one_line(text));
  CHECK(contains(text, "no plugin has a model called 'two_frist' (did you mean two_first?)"));
  CHECK(contains(text, "there are good, two_first, two_second"));
  CHECK(contains(text, "looked in " + built_folder("two").string() + ", " + built_folder("good").string()));
}

TEST_CASE("where there is no model at all, the answer says how to get one") {
  const TempFolder folder;
  CHECK(contains(load_refusal("good", "", {folder.text()}), "there are none; looked in " + folder.text()));
}

TEST_CASE("a refused file that resembles the unknown name is told with its reason, others are not") {
  const TempFolder folder;
  write_bytes(folder / "digits.so", "text");
  write_bytes(folder / "elephant.so", "text");
  const std::string text = load_refusal("digit", "", {folder.text()});
  CHECK(contains(text, "refused " + folder / "digits.so" + ": not an ELF file"));
  CHECK_FALSE(contains(text, "elephant"));
}

TEST_CASE("a name that only a refused plugin has is answered with its reason alone") {
  const TempFolder folder;
  const std::string bytes = read_bytes(built("good"));
  const std::size_t owner = bytes.find(std::string("lightrun\0\0\0\0", 12));
  write_bytes(folder / "old.so", patched(bytes, owner + 12, uint32_t{7}));
  CHECK(load_refusal("good", "", {folder.text()}) ==
        folder / "old.so" +
            ": built with SDK version 7 (this lightrun has 3001); rebuild it against this lightrun");
}

TEST_CASE("two plugins with one name are refused with both paths, a path chooses") {
  const TempFolder folder;
  copy_to(built("good"), folder / "a/good.so");
  copy_to(built("good"), folder / "b/good.so");
  const std::string text = load_refusal("good", "", {folder / "a", folder / "b"});
  CHECK(text == "two plugins with one name: 'good' is in " + folder / "a/good.so" + " and in " +
                    folder / "b/good.so" + "; give the path of the one that is meant as model.plugin");
  CHECK(load_model(folder / "b/good.so", "", {}).path == folder / "b/good.so");
}

TEST_CASE("a file that cannot be used is refused with path, reason and what to do") {
  const TempFolder folder;
  CHECK(contains(load_refusal(folder / "absent.so"), folder / "absent.so" + ": no such file"));
  CHECK(contains(load_refusal("absent.so"), "absent.so: no such file"));
  CHECK(contains(load_refusal(folder.text()), folder.text() + ": a folder"));
  CHECK(contains(load_refusal(built("no_note")),
                 built("no_note") + ": a shared library, but no lightrun plugin"));
}

TEST_CASE("a plugin cut at any of twenty places is refused, and the process goes on") {
  const TempFolder folder;
  const std::string bytes = read_bytes(built("good"));
  for (std::size_t twentieth = 0; twentieth < 20; ++twentieth) {
    CAPTURE(twentieth);
    const std::string path = write_bytes(folder / "cut.so", bytes.substr(0, bytes.size() * twentieth / 20));
    CHECK(contains(load_refusal(path), twentieth == 0 ? ": an empty file" : ": truncated"));
  }
}

TEST_CASE("a library that a plugin needs and that is gone is named") {
  const TempFolder folder;
  const std::string path = copy_to(built("missing_dependency"), folder / "plugin.so");
  const std::string text = load_refusal(path);
  CHECK(is_one_line(text));
  CHECK(contains(text, path + ": it needs the library libneeded.so, which is not found; install it"));
}

TEST_CASE("an undefined symbol is named as it is written in C++") {
  const std::string text = load_refusal(built("undefined_symbol"));
  CHECK(is_one_line(text));
  CHECK(contains(text, built("undefined_symbol") + ": it uses elsewhere::answer(int), which no library"));
}

TEST_CASE("a plugin without its function, or with another list than its note's, is refused") {
  CHECK(contains(load_refusal(built("no_function")), "does not export the function lightrun_models"));
  CHECK(contains(load_refusal(built("disagreeing")), "announces 1 model, its code registers 0"));
}

TEST_CASE("what a model's constructor throws becomes one line with plugin and model") {
  const std::string start = "plugin " + built("throwing") + ": constructor of model ";
  CHECK(create_refusal("throws_std") == start + "throws_std failed: no luck");
  CHECK(create_refusal("throws_c10") == start + "throws_c10 failed: shapes differ");
  CHECK(create_refusal("throws_int") ==
        start + "throws_int failed: it threw a value of type int, not a std::exception");
}

TEST_CASE("a ConfigError of a plugin is caught as one, with its own words") {
  const LoadedModel model = load_model(built("throwing"), "throws_config", {});
  try {
    (void)create(model, Params());
    FAIL("nothing was thrown");
  } catch (const lightrun::ConfigError& error) {
    CHECK(std::string(error.what()) == "model.params.width: too wide");
    CHECK(error.exit_code() == lightrun::ExitCode::config);
  }
}

TEST_CASE("what parameters() throws is told too") {
  CHECK(load_refusal(built("throwing"), "throws_in_parameters") ==
        "plugin " + built("throwing") + ": parameters() of model throws_in_parameters failed: cannot say");
}

TEST_CASE("a plugin with static tensors, an operator and a thread lets the process end well") {
  // What may go wrong comes after this test: ctest sees the exit code.
  const LoadedModel model = load_model(built("static_objects"), "", {});
  const auto module = create(model, Params());
  const auto loader = module->train_dataloader();
  REQUIRE(loader.dataset != nullptr);
  const int64_t indices[] = {0, 1};
  const lightrun::StepResult result = module->training_step(loader.dataset->get(indices), {});
  result.loss.backward();
  CHECK(module->parameters().front().grad().defined());
}

// Last in this file: the loader's lock stays taken after it (see function_in()).
TEST_CASE("a static initialiser that throws is an error, not the end of the process") {
  CHECK(load_refusal(built("static_throw")) ==
        built("static_throw") + ": a static initialiser in it failed: too early");
}
