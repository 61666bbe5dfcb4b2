#include "engine/finish_loggers.hpp"

#include "engine/run.hpp"
#include "support/catch.hpp"

#include <lightrun/error.hpp>

using namespace lightrun;

namespace {

class NamedLogger : public loggers::Logger {
 public:
  NamedLogger(std::string name, bool fails, std::vector<std::string>& finalized)
      : name_(std::move(name)), fails_(fails), finalized_(finalized) {}
  void log_metrics(int64_t, int64_t, double, const Metrics&) override {}
  void flush() override {}
  void finalize(const std::string& status) override {
    finalized_.push_back(name_ + ' ' + status);
    if (fails_) throw RunError(name_ + ": disk full");
  }

 private:
  std::string name_;
  bool fails_;
  std::vector<std::string>& finalized_;
};

}  // namespace

TEST_CASE("every logger is finalized, also after one that throws; the first error is thrown, once") {
  std::vector<std::string> finalized;
  engine::Run run;
  for (const auto& [name, fails] : {std::pair{"a", false}, {"b", true}, {"c", true}, {"d", false}})
    run.loggers.push_back(std::make_unique<NamedLogger>(name, fails, finalized));
  CHECK_THROWS_WITH(engine::finish_loggers(run, "success"), "b: disk full");
  CHECK(finalized == std::vector<std::string>{"a success", "b success", "c success", "d success"});
  CHECK(run.loggers.empty());
  CHECK_NOTHROW(engine::finish_loggers(run, "success"));
  CHECK(finalized.size() == 4);
}
