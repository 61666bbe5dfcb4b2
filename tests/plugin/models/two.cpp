#include <lightrun/lightrun.hpp>

namespace {

class Nothing : public lightrun::Module {
 public:
  explicit Nothing(const lightrun::Params&) {}
  lightrun::StepResult training_step(const lightrun::Batch&, const lightrun::StepInfo&) override {
    return {};
  }
};

class NothingElse : public Nothing {
 public:
  using Nothing::Nothing;
};

}  // namespace

LIGHTRUN_MODEL(Nothing, "two_first", "Does nothing");
LIGHTRUN_MODEL(NothingElse, "two_second", "Does nothing else");
