#include "config/checks.hpp"

#include <fmt/format.h>

#include <string>

namespace lightrun::config {

namespace {

Mark origin(const Findings& findings, const std::string& path) {
  const auto at = findings.origins.find(path);
  return at == findings.origins.end() ? Mark{} : at->second;
}

void check_nesterov(const RunSpec& spec, Findings& findings) {
  const auto* sgd = spec.optimizer ? std::get_if<SgdSpec>(&*spec.optimizer) : nullptr;
  if (sgd == nullptr || !sgd->nesterov || (sgd->momentum > 0 && sgd->dampening == 0)) return;
  findings.report(origin(findings, "optimizer.nesterov"), "optimizer.nesterov",
                  "needs momentum > 0 and dampening 0");
}

void warn_of_one_batch(const std::string& path, const Limit& limit, Findings& findings) {
  if (limit != Limit::of_count(1)) return;
  findings.warnings.push_back(
      fmt::format("{}{}: 1 is one batch, not 100% (1.0 is all)", where(findings.origins, path), path));
}

}  // namespace

void check_together(const RunSpec& spec, Findings& findings) {
  check_nesterov(spec, findings);
  warn_of_one_batch("trainer.limit_train_batches", spec.trainer.limit_train_batches, findings);
  warn_of_one_batch("trainer.limit_val_batches", spec.trainer.limit_val_batches, findings);
}

}  // namespace lightrun::config
