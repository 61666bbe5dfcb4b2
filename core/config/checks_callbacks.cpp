#include "config/checks_callbacks.hpp"

#include "config/checkpoint_name.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace lightrun::config {

namespace {

/// Whether it is ever asked to write one of its files.
bool is_ever_due(const ModelCheckpointSpec& checkpoint) {
  const bool at_the_end = checkpoint.save_last && (checkpoint.save_on_signal || checkpoint.save_on_exception);
  return checkpoint.every_n_epochs > 0 || checkpoint.every_n_train_steps || checkpoint.every_n_minutes ||
         at_the_end;
}

void check_checkpoint(const std::string& path, const ModelCheckpointSpec& checkpoint, const Refuse& refuse) {
  if (checkpoint.save_top_k == 0 && !checkpoint.save_last) {
    refuse({path + ".save_top_k", path + ".save_last", path},
           "0, and save_last is false: it would never write anything; for a run without checkpoints give "
           "trainer.enable_checkpointing: false");
    return;
  }
  if (!is_ever_due(checkpoint)) {
    refuse({path + ".every_n_epochs", path}, "0, and nothing else makes it write: give 1 or more");
  }
  if (checkpoint.save_last || !checkpoint.monitor) return;
  const auto refuse_without_effect = [&](const std::string& name) {
    refuse({path + "." + name, path + ".save_last", path},
           "no effect: it is for last.ckpt, and save_last is false; take save_last: true, or monitor: null, "
           "which keeps the newest");
  };
  if (checkpoint.every_n_train_steps) refuse_without_effect("every_n_train_steps");
  if (checkpoint.every_n_minutes) refuse_without_effect("every_n_minutes");
}

struct PlacedCheckpoint {
  std::string path;  ///< "callbacks.0"
  const ModelCheckpointSpec& spec;
};

/// Two must not write the same file.
void check_two(const PlacedCheckpoint& first, const PlacedCheckpoint& second, const Refuse& refuse) {
  std::vector<std::string> same;
  std::vector<std::string> remedies;
  const std::string name = effective_filename(second.spec);
  const bool both_keep = first.spec.save_top_k != 0 && second.spec.save_top_k != 0;
  if (both_keep && effective_filename(first.spec) == name) {
    same.push_back(name + ".ckpt");
    remedies.emplace_back("another filename");
  }
  if (first.spec.save_last && second.spec.save_last) {
    same.emplace_back("last.ckpt");
    remedies.emplace_back("save_last: false");
  }
  if (same.empty()) return;
  refuse({second.path, second.path + ".filename", second.path + ".save_last", first.path + ".filename",
          first.path + ".save_last"},
         fmt::format("would write the same {} as {}: give one of them {}", support::join(same, " and "),
                     first.path, support::join(remedies, " and ")));
}

void check_checkpoints(const RunSpec& spec, const Refuse& refuse) {
  std::vector<PlacedCheckpoint> before;
  for (std::size_t i = 0; i < spec.callbacks.size(); ++i) {
    const auto* checkpoint = std::get_if<ModelCheckpointSpec>(&spec.callbacks[i]);
    if (checkpoint == nullptr) continue;
    const PlacedCheckpoint placed{fmt::format("callbacks.{}", i), *checkpoint};
    if (!spec.trainer.enable_checkpointing) {
      refuse({placed.path, "trainer.enable_checkpointing"},
             "a model_checkpoint, but trainer.enable_checkpointing is false");
      continue;
    }
    check_checkpoint(placed.path, *checkpoint, refuse);
    for (const PlacedCheckpoint& other : before) check_two(other, placed, refuse);
    before.push_back(placed);
  }
}

/// The first two of one type are one too many.
template <typename Spec>
void check_only_one(const RunSpec& spec, const std::string& why, const Refuse& refuse) {
  std::string first;
  for (std::size_t i = 0; i < spec.callbacks.size(); ++i) {
    if (!std::holds_alternative<Spec>(spec.callbacks[i])) continue;
    const std::string path = fmt::format("callbacks.{}", i);
    if (!first.empty()) return refuse({path, first}, fmt::format("a second one, beside {}: {}", first, why));
    first = path;
  }
}

/// The fraction is of how many epochs, and are there so many?
void check_swa(const std::string& path, const SwaSpec& swa, const TrainerSpec& trainer,
               const Refuse& refuse) {
  const std::string start = path + ".swa_epoch_start";
  if (swa.swa_epoch_start.kind == Limit::Kind::fraction) {
    if (trainer.max_epochs < 0) {
      refuse(
          {start, "trainer.max_epochs"},
          fmt::format("{} is a share of max_epochs, which is -1; give an epoch", swa.swa_epoch_start.text()));
    }
  } else if (trainer.max_epochs >= 0 && swa.swa_epoch_start.count >= trainer.max_epochs) {
    refuse({start, "trainer.max_epochs"},
           fmt::format("epoch {} is never reached: the run ends after {} (epochs "
                       "count from 0)",
                       swa.swa_epoch_start.count, trainer.max_epochs));
  }
}

/// ema and swa have one file between them.
void check_averages(const RunSpec& spec, const Refuse& refuse) {
  std::string writer;
  for (std::size_t i = 0; i < spec.callbacks.size(); ++i) {
    const std::string path = fmt::format("callbacks.{}", i);
    const auto* ema = std::get_if<EmaSpec>(&spec.callbacks[i]);
    const auto* swa = std::get_if<SwaSpec>(&spec.callbacks[i]);
    if (swa != nullptr) check_swa(path, *swa, spec.trainer, refuse);
    if (swa == nullptr && (ema == nullptr || !ema->save_averaged)) continue;
    if (!writer.empty()) {
      refuse({path, path + ".save_averaged", writer + ".save_averaged", writer},
             fmt::format("would write the same {} as {}: leave one of them out, or take save_averaged: false",
                         kAveragedFile, writer));
    }
    writer = path;
  }
}

}  // namespace

void check_callbacks(const RunSpec& spec, const Refuse& refuse) {
  check_checkpoints(spec, refuse);
  check_only_one<AccumulationSchedulerSpec>(spec, "put all epochs into one scheduling", refuse);
  check_only_one<EmaSpec>(spec, "a validation can measure one average", refuse);
  check_only_one<SwaSpec>(spec, "the learning rate can go one way", refuse);
  check_averages(spec, refuse);
}

}  // namespace lightrun::config
