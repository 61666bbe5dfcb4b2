#include "engine/environment.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <dlfcn.h>

namespace lightrun::engine {
namespace {

/// OpenBLAS tells; other libraries have no such functions.
template <typename Result>
Result ask_blas(const char* function, Result otherwise) {
  auto* symbol = reinterpret_cast<Result (*)()>(dlsym(RTLD_DEFAULT, function));
  return symbol ? symbol() : otherwise;
}

/// LibTorch says it in words only, and takes its time: "CPU capability usage: AVX2".
std::string find_cpu_capability() {
  constexpr std::string_view kBefore = "CPU capability usage: ";
  const std::string config = at::show_config();
  const auto begin = config.find(kBefore);
  if (begin == std::string::npos) return "unknown";
  const auto word = begin + kBefore.size();
  return config.substr(word, config.find_first_of(" \n", word) - word);
}

const std::string& cpu_capability() {
  static const std::string capability = find_cpu_capability();
  return capability;
}

}  // namespace

state::Texts environment() {
  state::Texts texts = {{"torch", TORCH_VERSION},
                        {"torch threads", std::to_string(at::get_num_threads())},
                        {"cpu capability", cpu_capability()}};
  if (const char* core = ask_blas<const char*>("openblas_get_corename", nullptr)) {
    texts.emplace("blas kernel", core);
    texts.emplace("blas threads", std::to_string(ask_blas<int>("openblas_get_num_threads", 0)));
  }
  return texts;
}

}  // namespace lightrun::engine
