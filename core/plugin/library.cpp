#include "plugin/library.hpp"

#include "plugin/demangle.hpp"
#include "plugin/plugin_failure.hpp"

#include <lightrun/error.hpp>

#include <dlfcn.h>
#include <link.h>

#include <optional>
#include <string_view>

namespace lightrun::plugin {
namespace {

/// What stands between `before` and the next of `ends` (or the end) in `text`.
std::optional<std::string> part_after(std::string_view text, std::string_view before, std::string_view ends) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start + before.size());
  return std::string(text.substr(0, text.find_first_of(ends)));
}

/// The loader's text in our words.
std::string open_failure(const std::string& path, const std::string& text) {
  if (text.find("cannot open shared object file") != std::string::npos) {
    const std::string library = text.substr(0, text.find(':'));
    return path + ": it needs the library " + library +
           ", which is not found; install it, or name its folder in LD_LIBRARY_PATH";
  }
  if (const auto symbol = part_after(text, "undefined symbol: ", " ,\n")) {
    return path + ": it uses " + demangled(*symbol) +
           ", which no library it is linked to has; link that library, or rebuild it against this lightrun";
  }
  return path + ": it cannot be opened: " + text + "; rebuild it on this system";
}

void* open(const std::string& path) {
  // dlopen is declared noexcept, so a static initialiser that throws would end the process: a call through a
  // plain pointer, which the compiler must not see through, lets the exception pass.
  void* (*volatile open_any)(const char*, int) = ::dlopen;
  try {
    return open_any(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  } catch (...) {
    throw_plugin_failure(path + ": a static initialiser in it failed");
  }
}

/// Where `library` begins in memory.
const void* base_of(void* library) {
  const link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return nullptr;
  return reinterpret_cast<const void*>(map->l_addr);
}

/// dlsym also looks into the libraries a library needs; what it finds there is not the plugin's own.
bool belongs_to(void* library, const void* symbol) {
  Dl_info info{};
  return ::dladdr(symbol, &info) != 0 && info.dli_fbase == base_of(library);
}

}  // namespace

void* function_in(const std::string& path, const char* symbol) {
  void* library = open(path);
  if (library == nullptr) {
    const char* text = ::dlerror();
    throw PluginError(open_failure(path, text == nullptr ? "for no reason the loader gives" : text));
  }
  void* function = ::dlsym(library, symbol);
  if (function == nullptr || !belongs_to(library, function)) {
    throw PluginError(path + ": it does not export the function " + symbol +
                      "; do not hide it (a version script?), and rebuild it");
  }
  return function;
}

}  // namespace lightrun::plugin
