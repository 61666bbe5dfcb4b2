#include "plugin/elf_tables.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace lightrun::plugin {
namespace {

using Problem = std::optional<std::string>;

#if defined(__x86_64__)
constexpr uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kHostMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr uint16_t kHostMachine = EM_PPC64;
#elif defined(__riscv)
constexpr uint16_t kHostMachine = EM_RISCV;
#else
#error "name this machine's EM_ constant here"
#endif
static_assert(sizeof(void*) == 8 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "the reader is for 64-bit little-endian machines");

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "32-bit ARM";
    case EM_PPC64:
      return "PowerPC64";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine number " + std::to_string(machine);
  }
}

Problem truncated(const FileBytes& file, std::string_view what) {
  return "truncated: the file ends at byte " + std::to_string(file.size()) + ", before its " +
         std::string(what) + " does; copy or build it again";
}

Problem damaged(std::string_view what) {
  return "damaged: " + std::string(what) + "; copy or build it again";
}

/// The part of the header that 32-bit and 64-bit files have in common.
struct Prefix {
  std::array<unsigned char, EI_NIDENT> ident;
  uint16_t type;
  uint16_t machine;
};
static_assert(offsetof(Prefix, machine) == offsetof(Elf64_Ehdr, e_machine));

Problem check_type(uint16_t type) {
  switch (type) {
    case ET_DYN:
      return std::nullopt;
    case ET_REL:
      return "an object file, not a shared library; link it with -shared";
    case ET_EXEC:
      return "an executable, not a shared library; link it with -shared";
    case ET_CORE:
      return "a core dump, not a shared library";
    default:
      return damaged("its ELF type is " + std::to_string(type));
  }
}

Problem check_kind(const FileBytes& file) {
  if (file.size() == 0) return "an empty file; copy or build it again";
  const auto magic = file.read<std::array<char, SELFMAG>>(0);
  if (!magic || std::memcmp(magic->data(), ELFMAG, SELFMAG) != 0)
    return "not an ELF file, so not a shared library; give the .so that was built";
  const auto prefix = file.read<Prefix>(0);
  if (!prefix) return truncated(file, "ELF header");

  const std::string rebuild =
      "; this lightrun runs on 64-bit " + machine_name(kHostMachine) + ", rebuild it for that machine";
  if (prefix->ident[EI_CLASS] == ELFCLASS32) return "built for a 32-bit machine" + rebuild;
  if (prefix->ident[EI_CLASS] != ELFCLASS64) return damaged("its ELF class is neither 32-bit nor 64-bit");
  if (prefix->ident[EI_DATA] == ELFDATA2MSB) return "built for a big-endian machine" + rebuild;
  if (prefix->ident[EI_DATA] != ELFDATA2LSB)
    return damaged("its byte order is neither little nor big endian");
  if (prefix->ident[EI_VERSION] != EV_CURRENT) return damaged("its ELF version is not 1");
  if (prefix->machine != kHostMachine) return "built for " + machine_name(prefix->machine) + rebuild;
  return check_type(prefix->type);
}

/// Reads `count` entries from `offset` on; false where the file does not hold them.
template <typename Entry>
bool read_table(const FileBytes& file, uint64_t offset, uint64_t count, std::vector<Entry>& table) {
  if (count > file.size() / sizeof(Entry) || !file.holds(offset, count * sizeof(Entry))) return false;
  table.resize(count);
  return file.read(offset, std::as_writable_bytes(std::span(table)));
}

Problem read_segments(const FileBytes& file, const Elf64_Ehdr& header, ElfTables& tables) {
  if (header.e_phnum == 0 || header.e_phnum == PN_XNUM || header.e_phentsize != sizeof(Elf64_Phdr))
    return damaged("its program header table has no valid size");
  if (!read_table(file, header.e_phoff, header.e_phnum, tables.segments))
    return truncated(file, "program header table");

  bool loadable = false;
  bool dynamic = false;
  for (const Elf64_Phdr& segment : tables.segments) {
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    (segment.p_type == PT_LOAD ? loadable : dynamic) = true;
    if (!file.holds(segment.p_offset, segment.p_filesz)) return truncated(file, "last segment");
  }
  if (!loadable) return damaged("it has no segment to load");
  if (!dynamic) return "not a shared library, though its ELF type says so; link it with -shared";
  return std::nullopt;
}

Problem read_sections(const FileBytes& file, const Elf64_Ehdr& header, ElfTables& tables) {
  if (header.e_shoff == 0) return std::nullopt;  // stripped of them
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return damaged("its section header table has no valid size");
  const auto first = file.read<Elf64_Shdr>(header.e_shoff);
  if (!first) return truncated(file, "section header table");
  // Numbers too large for the header stand in the first section.
  const uint64_t count = header.e_shnum != 0 ? header.e_shnum : first->sh_size;
  tables.section_names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first->sh_link;
  if (!read_table(file, header.e_shoff, count, tables.sections))
    return truncated(file, "section header table");
  return std::nullopt;
}

}  // namespace

Problem read_elf_tables(const FileBytes& file, ElfTables& tables) {
  if (auto problem = check_kind(file)) return problem;
  const auto header = file.read<Elf64_Ehdr>(0);
  if (!header) return truncated(file, "ELF header");
  if (auto problem = read_segments(file, *header, tables)) return problem;
  return read_sections(file, *header, tables);
}

bool is_called(const FileBytes& file, const ElfTables& tables, const Elf64_Shdr& section,
               std::string_view name) {
  if (tables.section_names >= tables.sections.size()) return false;
  const Elf64_Shdr& names = tables.sections[tables.section_names];
  if (section.sh_name > names.sh_size || name.size() >= names.sh_size - section.sh_name) return false;
  if (!file.holds(names.sh_offset, names.sh_size)) return false;
  std::string found(name.size() + 1, ' ');  // with the zero at its end
  if (!file.read(names.sh_offset + section.sh_name, std::as_writable_bytes(std::span(found)))) return false;
  return found.back() == '\0' && std::string_view(found).substr(0, name.size()) == name;
}

}  // namespace lightrun::plugin
