#include "engine/trace.hpp"

#include <lightrun/error.hpp>

#include <cerrno>
#include <cstring>

namespace lightrun::engine {

Trace::Trace(std::filesystem::path path) : path_(std::move(path)), out_(path_) {
  if (!out_) throw RunError("--trace " + path_.string() + ": cannot be written: " + std::strerror(errno));
}

void Trace::record(std::string_view who, std::string_view hook, const TracePosition& position) {
  out_ << R"({"who": ")" << who << R"(", "hook": ")" << hook << R"(", "epoch": )" << position.epoch
       << R"(, "batch_idx": )" << position.batch_idx << R"(, "global_step": )" << position.global_step;
  if (position.optimizer_idx) out_ << R"(, "optimizer_idx": )" << *position.optimizer_idx;
  if (position.split_idx) out_ << R"(, "split_idx": )" << *position.split_idx;
  if (position.val_batch_idx) out_ << R"(, "val_batch_idx": )" << *position.val_batch_idx;
  out_ << "}\n" << std::flush;  // a process that is killed leaves whole lines
  if (out_ || forgiving_) return;
  forgiving_ = true;
  throw RunError("--trace " + path_.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace lightrun::engine
