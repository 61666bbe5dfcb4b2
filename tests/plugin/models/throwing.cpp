#include <lightrun/lightrun.hpp>

#include <c10/util/Exception.h>

#include <stdexcept>

namespace {

class Inert : public lightrun::Module {
 public:
  lightrun::StepResult training_step(const lightrun::Batch&, const lightrun::StepInfo&) override {
    return {};
  }
};

class ThrowsStd : public Inert {
 public:
  explicit ThrowsStd(const lightrun::Params&) { throw std::runtime_error("no luck\nsecond line"); }
};

class ThrowsC10 : public Inert {
 public:
  explicit ThrowsC10(const lightrun::Params&) { TORCH_CHECK(false, "shapes differ\nsecond line"); }
};

class ThrowsInt : public Inert {
 public:
  explicit ThrowsInt(const lightrun::Params&) { throw 7; }
};

class ThrowsConfig : public Inert {
 public:
  explicit ThrowsConfig(const lightrun::Params&) {
    throw lightrun::ConfigError("model.params.width: too wide");
  }
};

class ThrowsInParameters : public Inert {
 public:
  explicit ThrowsInParameters(const lightrun::Params&) {}
  static lightrun::ParamDecls parameters() { throw std::logic_error("cannot say"); }
};

}  // namespace

LIGHTRUN_MODEL(ThrowsStd, "throws_std", "Its constructor throws a std::runtime_error");
LIGHTRUN_MODEL(ThrowsC10, "throws_c10", "Its constructor throws a c10::Error");
LIGHTRUN_MODEL(ThrowsInt, "throws_int", "Its constructor throws an int");
LIGHTRUN_MODEL(ThrowsConfig, "throws_config", "Its constructor throws a ConfigError");
LIGHTRUN_MODEL(ThrowsInParameters, "throws_in_parameters", "Its parameters() throws");
