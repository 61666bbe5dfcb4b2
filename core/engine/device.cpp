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
  using config::Accelerator;
  const auto at = [&](const char* path) { return config::where(spec.origins, path) + path + ": "; };
  const Accelerator accelerator = spec.trainer.accelerator;
  std::string wanted = spec.trainer.devices.front();
  const bool is_default = !spec.origins.contains("trainer.devices");
  if (is_default && accelerator != Accelerator::any) wanted = "auto";
  if (wanted == "auto") {
    const bool gpu = accelerator == Accelerator::cuda || (accelerator == Accelerator::any && gpu_count() > 0);
    wanted = gpu ? "cuda:0" : "cpu";
  }
  const torch::Device device(wanted);
  if (device.is_cuda() && device.index() >= gpu_count()) {
    throw ConfigError(at(is_default ? "trainer.accelerator" : "trainer.devices") + "there is no " + wanted +
                      "; this machine and its LibTorch have: " + what_there_is());
  }
  if (accelerator != Accelerator::any && device.is_cuda() != (accelerator == Accelerator::cuda)) {
    throw ConfigError(at("trainer.accelerator") + "it does not go with the device " + wanted);
  }
  if (spec.trainer.precision == config::Precision::float16) {
    throw ConfigError(at("trainer.precision") +
                      "16 needs its losses scaled, which is not there yet; bf16 needs no scaling");
  }
  return device;
}

}  // namespace lightrun::engine
