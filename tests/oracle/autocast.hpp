#pragma once

#include <ATen/autocast_mode.h>

namespace oracle {

/// CPU autocast to bfloat16 while it lives, as `torch.autocast("cpu", torch.bfloat16)`.
class BFloat16Autocast {
 public:
  BFloat16Autocast()
      : enabled_before_(at::autocast::is_cpu_enabled()),
        type_before_(at::autocast::get_autocast_cpu_dtype()) {
    at::autocast::set_cpu_enabled(true);
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~BFloat16Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_cpu_dtype(type_before_);
    at::autocast::set_cpu_enabled(enabled_before_);
  }
  BFloat16Autocast(const BFloat16Autocast&) = delete;
  BFloat16Autocast& operator=(const BFloat16Autocast&) = delete;

 private:
  bool enabled_before_;
  at::ScalarType type_before_;
};

}  // namespace oracle
