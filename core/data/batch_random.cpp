#include "data/batch_random.hpp"

#include <lightrun/data.hpp>

#include <ATen/CPUGeneratorImpl.h>

namespace lightrun {
namespace {

struct OfThread {
  torch::Generator generator = at::make_generator<at::CPUGeneratorImpl>(uint64_t{0});
  uint64_t seed = 0;
  bool is_seeded = true;
};

OfThread& of_thread() {
  thread_local OfThread state;
  return state;
}

}  // namespace

void data::seed_batch_generator(uint64_t seed) {
  OfThread& state = of_thread();
  state.seed = seed;
  state.is_seeded = false;
}

torch::Generator& batch_generator() {
  OfThread& state = of_thread();
  if (!state.is_seeded) state.generator.set_current_seed(state.seed);
  state.is_seeded = true;
  return state.generator;
}

}  // namespace lightrun
