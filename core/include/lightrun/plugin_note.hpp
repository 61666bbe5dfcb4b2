#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lightrun {

/// major * 1000 + minor. The major number is raised whenever a class that crosses the border changes: a
/// plugin must have been built with the same. The minor one is raised when something is added that older
/// plugins do without: a plugin built with an older minor version works, one built with a newer is refused.
inline constexpr uint32_t kSdkVersion = 3001;
inline constexpr uint32_t kSdkMinorVersions = 1000;  ///< of one major version

/// What a plugin offers. The numbers are the ELF notes' types.
enum class PluginKind : uint32_t { model = 1, source = 2, callback = 3 };

/// The ELF note a plugin carries for each model, source and callback, in section `.note.lightrun`: plain
/// bytes that are read from the file before it is opened, since opening a library already runs its static
/// initialisers. `readelf -n` shows it. All numbers little-endian; texts end in zeros.
struct PluginNote {
  static constexpr std::string_view kSection = ".note.lightrun";
  static constexpr std::string_view kOwner = "lightrun";

  // The note's own header, as the ELF specification wants it.
  uint32_t owner_size;
  uint32_t payload_size;
  uint32_t type;  ///< a PluginKind
  std::array<char, 12> owner;

  // The payload.
  uint32_t sdk_version;
  uint32_t cxx11_abi;                  ///< _GLIBCXX_USE_CXX11_ABI: which std::string the plugin means
  std::array<char, 24> torch_version;  ///< TORCH_VERSION of the headers it was built with
  std::array<char, 64> compiler;
  std::array<char, 64> name;
  std::array<char, 256> help;
};
static_assert(sizeof(PluginNote) == 24 + 8 + 24 + 64 + 64 + 256);

namespace detail {

template <std::size_t N>
consteval std::array<char, N> padded(std::string_view text) {
  if (text.size() >= N) throw "a name has at most 63 characters, a help text at most 255";
  std::array<char, N> bytes{};
  for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = text[i];
  return bytes;
}

consteval PluginNote plugin_note(PluginKind kind, std::string_view torch_version, std::string_view compiler,
                                 std::string_view name, std::string_view help) {
  if (name.empty()) throw "a model, source or callback needs a name";
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.';
    if (!word) throw "a name is made of letters, digits and _ - .";
  }
  return {.owner_size = static_cast<uint32_t>(PluginNote::kOwner.size() + 1),
          .payload_size = static_cast<uint32_t>(sizeof(PluginNote) - 24),
          .type = static_cast<uint32_t>(kind),
          .owner = padded<12>(PluginNote::kOwner),
          .sdk_version = kSdkVersion,
          .cxx11_abi = _GLIBCXX_USE_CXX11_ABI,
          .torch_version = padded<24>(torch_version),
          .compiler = padded<64>(compiler),
          .name = padded<64>(name),
          .help = padded<256>(help)};
}

}  // namespace detail
}  // namespace lightrun
