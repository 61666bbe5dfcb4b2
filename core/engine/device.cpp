#include "engine/device.hpp"

#include <lightrun/error.hpp>

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>

namespace lightrun::engine {
namespace {

int64_t gpu_count() {
  return at::hasCUDA() ? at::detail::getCUDAHooks().getNumGPUs() : 0;
}

std::string what_there_is() {
  std::string devices = "cpu";
  for (int64_t i = 0; i < gpu_count(); ++i) devices += ", cuda:" + std::to_string(i);
  return devices;
}

}  // namespace

torch::Device choose_device(const config::RunSpec& spec) {
  const std::string& wanted = spec.trainer.devices.front();
  if (wanted == "auto") return gpu_count() > 0 ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
  const torch::Device device(wanted);
  if (device.is_cuda() && device.index() >= gpu_count()) {
    throw ConfigError(config::where(spec.origins, "trainer.devices") + "trainer.devices: there is no " +
                      wanted + "; this machine and its LibTorch have: " + what_there_is());
  }
  return device;
}

}  // namespace lightrun::engine
