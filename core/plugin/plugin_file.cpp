#include "plugin/plugin_file.hpp"

#include "plugin/elf_file.hpp"
#include "plugin/printable.hpp"

#include <lightrun/plugin_note.hpp>

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

/// The note's start, which every SDK version has, says whether the rest can be read.
Problem check_layout(const ElfNote& elf_note) {
  constexpr const char* kDamaged = "damaged: its plugin note cannot be read; build it again";
  uint32_t sdk_version = 0;
  if (elf_note.type != PluginNote::kType || elf_note.payload.size() < sizeof(sdk_version)) return kDamaged;
  std::memcpy(&sdk_version, elf_note.payload.data(), sizeof(sdk_version));
  if (elf_note.payload.size() == kPayload) return std::nullopt;
  if (sdk_version == kSdkVersion) return kDamaged;
  std::string difference;
  add_difference(difference, "SDK version", std::to_string(sdk_version), std::to_string(kSdkVersion));
  return built_for_another(difference);
}

/// Adds the model and compares; the first note that differs speaks for the file.
Problem read_note(const ElfNote& elf_note, PluginFile& file) {
  if (auto problem = check_layout(elf_note)) return problem;
  PluginNote note{};
  std::memcpy(&note.sdk_version, elf_note.payload.data(), kPayload);

  ModelNote model = {.name = printable(note.model_name), .help = printable(note.model_help)};
  const bool twice = std::any_of(file.models.begin(), file.models.end(),
                                 [&](const ModelNote& other) { return other.name == model.name; });
  const std::string name = model.name;
  if (!twice && !name.empty()) file.models.push_back(std::move(model));
  file.torch_version = printable(note.torch_version);
  file.compiler = printable(note.compiler);

  std::string differences;
  add_difference(differences, "SDK version", std::to_string(note.sdk_version), std::to_string(kSdkVersion));
  add_difference(differences, "torch", file.torch_version, TORCH_VERSION);
  add_difference(differences, "string ABI", string_abi(note.cxx11_abi), string_abi(_GLIBCXX_USE_CXX11_ABI));
  if (auto problem = built_for_another(differences)) return problem;
  if (name.empty()) return "damaged: a model in it has no name; build it again";
  if (twice) return "it has two models called '" + name + "'; give each LIGHTRUN_MODEL a name of its own";
  return std::nullopt;
}

}  // namespace

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
        "a shared library, but no lightrun plugin; a plugin has a LIGHTRUN_MODEL(...) in a source file";
  return file;
}

}  // namespace lightrun::plugin
