#pragma once

#include <string>
#include <vector>

namespace lightrun::report {

/// What a curve is of.
enum class Role {
  train,        ///< a value of training, step by step
  train_epoch,  ///< the mean of training over an epoch
  val,
  test,
  other,
};

/// "train", "train_epoch", "val", "test", "other".
[[nodiscard]] const char* name_of(Role role);

struct Line {
  std::string metric;
  Role role = Role::other;

  bool operator==(const Line&) const = default;
};

/// Curves that share a y axis.
struct Chart {
  std::string title;
  std::vector<Line> lines;
  bool is_detail = false;  ///< of many curves that few look at, such as the norms of all parameters

  bool operator==(const Chart&) const = default;
};

/// What a metric's name says: "val_loss" is `val` of "loss"; "train_loss_epoch" `train_epoch` of it;
/// "train/loss" as "train_loss".
struct Meaning {
  std::string quantity;
  Role role = Role::other;
};
[[nodiscard]] Meaning meaning_of(const std::string& metric);

/// Which metrics stand in which chart: those of one quantity together, losses first, then the others in the
/// order of `metrics`; then the learning rates, the totals of the gradient norms, the throughput and, a
/// detail, the gradient norms of parameters. Each name once.
[[nodiscard]] std::vector<Chart> plan_charts(const std::vector<std::string>& metrics);

}  // namespace lightrun::report
