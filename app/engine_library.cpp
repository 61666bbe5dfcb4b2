#include "engine_library.hpp"

#include <lightrun/error.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace lightrun::app {
namespace {

/// Next to the executable in the build tree and when installed; else where the system looks.
void* open_library() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = executable.parent_path().parent_path() / "lib" / "liblightrun.so";
  const char* path = !error && std::filesystem::exists(beside) ? beside.c_str() : "liblightrun.so";
  return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/// OpenMP threads that spin while they wait cost up to fifty times a step's time where another process wants
/// the core. The OpenMP library reads this when it is loaded, which is with LibTorch; what the user has set
/// goes before.
void let_waiting_threads_sleep() {
  setenv("OMP_WAIT_POLICY", "PASSIVE", /*overwrite=*/0);
}

}  // namespace

void* engine_function(const char* symbol) {
  let_waiting_threads_sleep();
  void* library = open_library();
  if (!library) throw RunError(std::string("lightrun's own library cannot be opened: ") + dlerror());
  void* function = dlsym(library, symbol);
  if (!function)
    throw RunError(std::string("lightrun's own library does not fit this executable: ") + dlerror());
  return function;
}

}  // namespace lightrun::app
