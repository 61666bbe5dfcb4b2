#pragma once

#include "loggers/logger.hpp"
#include "loggers/tensorboard_resume.hpp"
#include "support/file_descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lightrun::loggers {

/// A folder of event files, which TensorBoard shows: a scalar for each metric (of 32 bits: TensorBoard has no
/// others; metrics.csv and metrics.jsonl have all digits), the config as a text, and histograms of the
/// gradients where they are asked for. Where a metric has two values at one step, TensorBoard shows the
/// later.
///
/// Every call is one record, given to the system whole when it returns: a run that is killed loses none of
/// it. Killed in the middle of that, it leaves a file that ends with a part of a record, which readers pass
/// over, and try again when the file has grown.
///
/// A run that is resumed cuts the files back to where they were at its checkpoint, so that they hold no step
/// twice, and begins another one: a TensorBoard that is watching has read the first beyond the cut, and does
/// not go back in it. Each file begins with the step from which on what came before is void (a SessionLog
/// START), so that such a TensorBoard forgets what it has read too much.
class TensorboardLogger : public Logger {
 public:
  struct Settings {
    std::string config;                       ///< YAML; "": no text
    std::optional<int64_t> histograms_every;  ///< optimizer steps; nothing: no histograms
  };

  /// Makes the folder and a file in it. Throws RunError, naming the path, where it cannot or where there are
  /// event files in it already.
  TensorboardLogger(std::filesystem::path folder, Settings settings);

  /// Continues the files of a run that was interrupted, from where they were at `state` (of a checkpoint):
  /// resume_events() says how. `from` is the same folder, or the earlier run's, which stays as it is. Throws
  /// RunError, naming the path, where a file cannot be written.
  TensorboardLogger(std::filesystem::path folder, Settings settings, const LoggerState& state,
                    const std::filesystem::path& from);

  [[nodiscard]] const std::string& warning() const override { return warning_; }

  /// Throws RunError, naming the path, where the disk is full; whole records remain.
  void log_metrics(int64_t step, int64_t epoch, double seconds, const Metrics& metrics) override;

  /// Every so many steps, the last of each so many.
  [[nodiscard]] bool wants_histograms(int64_t step) const override;
  void log_histograms(int64_t step, const Histograms& histograms) override;

  /// Does nothing: nothing is held back.
  void flush() override {}

  /// How many bytes each file has, and the step they go to.
  [[nodiscard]] LoggerState state() const override { return to_state(position_); }

  /// Syncs the file to the disk and closes it.
  void finalize(const std::string& status) override;

 private:
  TensorboardLogger(std::filesystem::path folder, Settings settings, ResumedEvents resumed);
  void make_file();
  void append(const std::string& record);
  void count(int64_t step);
  [[nodiscard]] std::filesystem::path path() const;

  std::filesystem::path folder_;
  std::optional<int64_t> histograms_every_;
  EventPosition position_;
  std::string warning_;
  support::FileDescriptor file_;  // the last of position_.files
};

}  // namespace lightrun::loggers
