#pragma once

#include "plugin/file_bytes.hpp"

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lightrun::plugin {

/// An ELF file's two tables. Offsets in them are unchecked, but for those of PT_LOAD and PT_DYNAMIC segments.
struct ElfTables {
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;  ///< empty in a file without section headers
  uint32_t section_names = 0;        ///< which section holds the sections' names
};

/// Fills `tables`; returns why the file is no whole shared library for this machine, or nothing.
[[nodiscard]] std::optional<std::string> read_elf_tables(const FileBytes& file, ElfTables& tables);

/// Whether `section` is called `name`.
[[nodiscard]] bool is_called(const FileBytes& file, const ElfTables& tables, const Elf64_Shdr& section,
                             std::string_view name);

}  // namespace lightrun::plugin
