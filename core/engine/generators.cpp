#include "engine/generators.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include <mutex>

namespace lightrun::engine {
namespace {

at::Generator generator_of(torch::Device device) {
  if (device.is_cpu()) return at::detail::getDefaultCPUGenerator();
  return at::globalContext().defaultGenerator(device);
}

void add_state(torch::Device device, StateDict& states) {
  at::Generator generator = generator_of(device);
  const std::lock_guard lock(generator.mutex());
  states.set(device.str(), generator.get_state());
}

std::vector<torch::Device> all_devices() {
  std::vector<torch::Device> devices = {torch::kCPU};
  const int gpus = at::hasCUDA() ? at::detail::getCUDAHooks().getNumGPUs() : 0;
  for (int i = 0; i < gpus; ++i) devices.emplace_back(torch::kCUDA, static_cast<torch::DeviceIndex>(i));
  return devices;
}

}  // namespace

StateDict generator_states() {
  StateDict states;
  for (const torch::Device device : all_devices()) add_state(device, states);
  return states;
}

void set_generator_states(const StateDict& states) {
  for (const torch::Device device : all_devices()) {
    if (!states.contains(device.str())) continue;
    at::Generator generator = generator_of(device);
    const std::lock_guard lock(generator.mutex());
    generator.set_state(states.get<torch::Tensor>(device.str()));
  }
}

SameRandomNumbers::SameRandomNumbers(torch::Device device) {
  add_state(torch::kCPU, states_);
  if (!device.is_cpu()) add_state(device, states_);
}

SameRandomNumbers::~SameRandomNumbers() {
  set_generator_states(states_);
}

}  // namespace lightrun::engine
