#include "config/bind_params.hpp"

#include "config/configs.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using namespace lightrun::config;
using namespace lightrun::tests;

namespace {

ParamDecls declared() {
  return {ParamDecl("hidden", 64, "Units").range(1, 1000),
          ParamDecl("dropout", 0.5, "Dropout").range(0, 1),
          ParamDecl("act", "relu", "Activation").one_of({"relu", "tanh"}),
          ParamDecl("bias", true, "With a bias"),
          ParamDecl("file", "", "Any text"),
          ParamDecl("sizes", ParamValue(std::vector<int64_t>{8, 4}), "Layers").range(1, 100),
          ParamDecl("rates", ParamValue(std::vector<double>{0.5}), "Rates"),
          ParamDecl("names", ParamValue(std::vector<std::string>{}), "Names")};
}

/// Binds `params: {...}` of a config.
Params bind(const std::string& params, const std::vector<std::string>& flags = {}) {
  const auto spec = spec_of("model:\n  plugin: m\n  params: {" + params + "}\n", flags);
  return bind_params(spec.model.params, declared(), "/plugins/m", "m", "model.params");
}

std::string refusal(const std::string& params, const std::vector<std::string>& flags = {}) {
  const Configs configs({"model:\n  plugin: m\n  params: {" + params + "}\n"});
  const auto spec = configs.spec(flags);
  try {
    static_cast<void>(bind_params(spec.model.params, declared(), "/plugins/m", "m", "model.params"));
  } catch (const Error& error) {
    CHECK(error.exit_code() == (flags.empty() ? ExitCode::config : ExitCode::usage));
    return configs.relative(error.what());
  }
  return "";
}

}  // namespace

TEST_CASE("parameters that are not given have their defaults") {
  const auto params = bind("");
  CHECK(params.get<int64_t>("hidden") == 64);
  CHECK(params.get<double>("dropout") == 0.5);
  CHECK(params.get<std::string>("act") == "relu");
  CHECK(params.get<bool>("bias"));
  CHECK(params.get<std::vector<int64_t>>("sizes") == std::vector<int64_t>{8, 4});
  CHECK(params.values().size() == 8);
}

TEST_CASE("given parameters are read as their declared type") {
  const auto params = bind(
      "hidden: 3, dropout: 1, act: tanh, bias: false, file: 010, sizes: [1, 2], rates: [1, 0.5], names: [a, "
      "\"1\"]");
  CHECK(params.get<int>("hidden") == 3);
  CHECK(params.get<double>("dropout") == 1.0);
  CHECK(params.get<std::string>("act") == "tanh");
  CHECK_FALSE(params.get<bool>("bias"));
  CHECK(params.get<std::string>("file") == "010");
  CHECK(params.get<std::vector<double>>("rates") == std::vector<double>{1, 0.5});
  CHECK(params.get<std::vector<std::string>>("names") == std::vector<std::string>{"a", "1"});
  CHECK(bind("names: []").get<std::vector<std::string>>("names").empty());
}

TEST_CASE("H17: everything that is wrong with the parameters is told at once, with places") {
  CHECK(refusal("hiden: 3, banana: 1, dropout: 2, act: relo, bias: yes, hidden: 1.5") ==
        "a.yaml:3:12: model.params.hiden: unknown key (did you mean hidden?)\n"
        "a.yaml:3:22: model.params.banana: unknown key (m has hidden, dropout, act, bias, file, sizes, "
        "rates, names)\n"
        "a.yaml:3:42: model.params.dropout: must be >= 0 and <= 1, got 2\n"
        "a.yaml:3:50: model.params.act: expected relu or tanh, got 'relo' (did you mean relu?)\n"
        "a.yaml:3:62: model.params.bias: expected true or false, got 'yes'\n"
        "a.yaml:3:75: model.params.hidden: expected a whole number, got '1.5'");
}

TEST_CASE("a list's values are checked one by one") {
  CHECK(refusal("sizes: [1, 0]") == "a.yaml:3:23: model.params.sizes: must be >= 1 and <= 100, got 0");
  CHECK(refusal("sizes: 3") ==
        "a.yaml:3:19: model.params.sizes: expected a list, each a whole number, got '3'");
  CHECK(refusal("rates: [x]") == "a.yaml:3:20: model.params.rates: expected a number, got 'x'");
}

TEST_CASE("a wrong parameter on a flag is a usage error") {
  CHECK(refusal("", {"--model.params.hiden", "3"}) ==
        "--model.params.hiden: unknown key (did you mean hidden?)");
  CHECK(bind("hidden: 3", {"--model.params.hidden", "5"}).get<int>("hidden") == 5);
}

TEST_CASE("a model without parameters takes none") {
  const auto spec = spec_of("model: {plugin: m, params: {a: 1}}\n");
  CHECK_THROWS_AS(bind_params(spec.model.params, {}, "", "m", "model.params"), ConfigError);
  CHECK(bind_params(spec_of(kModel).model.params, {}, "", "m", "model.params").values().empty());
}

TEST_CASE("a model that asks for another name or type is told, as a plugin's mistake") {
  const auto params = bind("");
  CHECK_THROWS_AS(params.get<int64_t>("hiden"), PluginError);
  CHECK_THROWS_WITH(
      params.get<int64_t>("hiden"),
      "the model asks for the parameter 'hiden', which it does not declare (declared: act, bias, dropout, "
      "file, hidden, names, rates, sizes)");
  CHECK_THROWS_WITH(params.get<std::string>("hidden"),
                    "the model declares its parameter 'hidden' as a whole number, but asks for a text");
  CHECK_THROWS_WITH(params.get<int64_t>("dropout"),
                    "the model declares its parameter 'dropout' as a number, but asks for a whole number");
  CHECK_THROWS_AS(Params().get<int>("a"), PluginError);
}

TEST_CASE("whole numbers may be asked for as numbers, and as int where they fit") {
  const Params params({{"a", int64_t{3}}, {"b", int64_t{1} << 40}, {"c", std::vector<int64_t>{1, 2}}}, "");
  CHECK(params.get<double>("a") == 3.0);
  CHECK(params.get<int>("a") == 3);
  CHECK_THROWS_AS(params.get<int>("b"), PluginError);
  CHECK(params.get<std::vector<double>>("c") == std::vector<double>{1, 2});
}

TEST_CASE("a resource is a file in the plugin's folder") {
  const TemporaryFolder folder;
  write_file(folder / "digits.bin", "x");
  const Params params({}, folder.path().string());
  CHECK(params.resource("digits.bin") == (folder / "digits.bin").string());
  CHECK_THROWS_AS(params.resource("nope.bin"), PluginError);
  CHECK_THROWS_WITH(params.resource("nope.bin"),
                    (folder / "nope.bin").string() + ": no such file in the plugin's folder");
}
