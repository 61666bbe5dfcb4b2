#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::plugin {

/// One note of an ELF file. Its bytes are whatever the file holds.
struct ElfNote {
  uint32_t type = 0;
  std::vector<std::byte> payload;
};

/// What a shared library's file says of itself before it is opened.
struct ElfFile {
  std::vector<ElfNote> notes;          ///< those of the owner asked for, in the file's order
  std::optional<std::string> refused;  ///< why it must not be opened, and what to do: "truncated: ..."
};

/// Checks that `path` is a shared library for this machine that is all there (opening a truncated one ends
/// the process with SIGBUS), and reads its notes of `owner`: those in `section`, or, in a file without
/// section headers, those in its PT_NOTE segments. Every offset in the file is doubted. Does not throw.
[[nodiscard]] ElfFile read_elf_file(const std::string& path, std::string_view section,
                                    std::string_view owner);

}  // namespace lightrun::plugin
