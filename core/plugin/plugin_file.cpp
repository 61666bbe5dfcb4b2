#include "plugin/plugin_file.hpp"

#include "plugin/elf_file.hpp"
#include "plugin/kinds.hpp"
#include "plugin/printable.hpp"

#include <spdlog/fmt/fmt.h>
#include <torch/version.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace lightrun::plugin {
namespace {

using Problem = std::optional<std::string>;

constexpr std::size_t kNoteHeader = offsetof(PluginNote, sdk_version);
constexpr std::size_t kPayload = sizeof(PluginNote) - kNoteHeader;

std::string string_abi(uint32_t cxx11_abi) {
  return "_GLIBCXX_USE_CXX11_ABI=" + std::to_string(cxx11_abi);
}

/// "what X (this lightrun has Y)", after what there is already.
void add_difference(std::string& differences, const std::string& what, const std::string& theirs,
                    const std::string& ours) {
  if (theirs == ours) return;
  if (!differences.empty()) differences += ", ";
  differences += what + " " + theirs + " (this lightrun has " + ours + ")";
}

Problem built_for_another(const std::string& differences) {
  if (differences.empty()) return std::nullopt;
  return "built with " + differences + "; rebuild it against this lightrun";
}

/// Whether a plugin of that SDK version works here: the same major version, no newer minor one.
bool is_compatible(uint32_t sdk_version) {
  return sdk_version / kSdkMinorVersions == kSdkVersion / kSdkMinorVersions && sdk_version <= kSdkVersion;
}

void add_sdk_difference(std::string& differences, uint32_t sdk_version) {
  if (is_compatible(sdk_version)) return;
  const bool is_newer_minor = sdk_version / kSdkMinorVersions == kSdkVersion / kSdkMinorVersions;
  add_difference(differences, is_newer_minor ? "the newer SDK version" : "SDK version",
                 std::to_string(sdk_version), std::to_string(kSdkVersion));
}

bool is_known(uint32_t type) {
  return type >= static_cast<uint32_t>(PluginKind::model) &&
         type <= static_cast<uint32_t>(PluginKind::callback);
}

/// The note's start, which every SDK version has, says whether the rest can be read.
Problem check_layout(const ElfNote& elf_note) {
  constexpr const char* kDamaged = "damaged: its plugin note cannot be read; build it again";
  uint32_t sdk_version = 0;
  if (elf_note.payload.size() < sizeof(sdk_version)) return kDamaged;
  std::memcpy(&sdk_version, elf_note.payload.data(), sizeof(sdk_version));
  if (is_known(elf_note.type) && elf_note.payload.size() == kPayload) return std::nullopt;
  std::string difference;
  add_sdk_difference(difference, sdk_version);
  return difference.empty() ? kDamaged : built_for_another(difference);
}

/// Adds what it offers and compares; the first note that differs speaks for the file.
Problem read_note(const ElfNote& elf_note, PluginFile& file) {
  if (auto problem = check_layout(elf_note)) return problem;
  PluginNote note{};
  std::memcpy(&note.sdk_version, elf_note.payload.data(), kPayload);

  const auto kind = static_cast<PluginKind>(elf_note.type);
  const std::string name = printable(note.name);
  const bool twice = file.find(kind, name) != nullptr;
  if (!twice && !name.empty()) file.offers.push_back({kind, name, printable(note.help)});
  file.torch_version = printable(note.torch_version);
  file.compiler = printable(note.compiler);

  std::string differences;
  add_sdk_difference(differences, note.sdk_version);
  add_difference(differences, "torch", file.torch_version, TORCH_VERSION);
  add_difference(differences, "string ABI", string_abi(note.cxx11_abi), string_abi(_GLIBCXX_USE_CXX11_ABI));
  if (auto problem = built_for_another(differences)) return problem;
  const KindWords words = words_of(kind);
  if (name.empty()) return fmt::format("damaged: a {} in it has no name; build it again", words.one);
  if (twice)
    return fmt::format("it has two {} called '{}'; give each {} a name of its own", words.many, name,
                       words.macro);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> PluginFile::names(PluginKind kind) const {
  std::vector<std::string> names;
  for (const Offer& offer : offers) {
    if (offer.kind == kind) names.push_back(offer.name);
  }
  return names;
}

const Offer* PluginFile::find(PluginKind kind, const std::string& name) const {
  const auto found = std::ranges::find_if(
      offers, [&](const Offer& offer) { return offer.kind == kind && offer.name == name; });
  return found == offers.end() ? nullptr : &*found;
}

PluginFile read_plugin_file(const std::string& path) {
  PluginFile file;
  file.path = path;
  const ElfFile elf = read_elf_file(path, PluginNote::kSection, PluginNote::kOwner);
  file.refused = elf.refused;
  if (file.refused) return file;
  for (const ElfNote& note : elf.notes) {
    const Problem problem = read_note(note, file);
    if (!file.refused) file.refused = problem;
  }
  if (elf.notes.empty())
    file.refused =
        "a shared library, but no lightrun plugin; a plugin has a LIGHTRUN_MODEL(...), LIGHTRUN_SOURCE(...) "
        "or "
        "LIGHTRUN_CALLBACK(...) in a source file";
  return file;
}

}  // namespace lightrun::plugin
