#include "plugin/elf_file.hpp"

#include "plugin/elf_tables.hpp"
#include "plugin/file_bytes.hpp"

#include <elf.h>

#include <cstring>
#include <span>

namespace lightrun::plugin {
namespace {

/// Where notes stand one after the other.
struct NoteArea {
  uint64_t offset;
  uint64_t size;
  uint64_t alignment;
};

constexpr uint64_t kMostNoteBytes = 1 << 20;

std::vector<NoteArea> note_areas(const FileBytes& file, const ElfTables& tables,
                                 std::string_view section_name) {
  std::vector<NoteArea> areas;
  for (const Elf64_Shdr& section : tables.sections) {
    if (section.sh_type == SHT_NOTE && is_called(file, tables, section, section_name))
      areas.push_back({section.sh_offset, section.sh_size, section.sh_addralign});
  }
  if (!tables.sections.empty()) return areas;
  for (const Elf64_Phdr& segment : tables.segments) {
    if (segment.p_type == PT_NOTE) areas.push_back({segment.p_offset, segment.p_filesz, segment.p_align});
  }
  return areas;
}

/// Takes bytes off the front of `rest`, and what fills them up to `alignment`; the last of an area may lack
/// that filling. Empty where there are fewer.
std::optional<std::span<const std::byte>> take(std::span<const std::byte>& rest, uint64_t bytes,
                                               uint64_t alignment) {
  if (bytes > rest.size()) return std::nullopt;
  const auto taken = rest.first(bytes);
  const uint64_t padded = (bytes + alignment - 1) / alignment * alignment;
  rest = rest.subspan(padded < rest.size() ? padded : rest.size());
  return taken;
}

bool is_owner(std::span<const std::byte> text, std::string_view owner) {
  return text.size() == owner.size() + 1 && std::memcmp(text.data(), owner.data(), owner.size()) == 0 &&
         text.back() == std::byte{0};
}

/// False where a note reaches past its area.
bool split_notes(std::span<const std::byte> rest, uint64_t alignment, std::string_view owner,
                 std::vector<ElfNote>& notes) {
  while (!rest.empty()) {
    const auto head = take(rest, sizeof(Elf64_Nhdr), 4);
    if (!head) return false;
    Elf64_Nhdr header;
    std::memcpy(&header, head->data(), sizeof(header));
    const auto name = take(rest, header.n_namesz, 4);
    if (!name) return false;
    const auto payload = take(rest, header.n_descsz, alignment == 8 ? 8 : 4);
    if (!payload) return false;
    if (is_owner(*name, owner)) notes.push_back({header.n_type, {payload->begin(), payload->end()}});
  }
  return true;
}

bool read_area(const FileBytes& file, const NoteArea& area, std::string_view owner,
               std::vector<ElfNote>& notes) {
  if (area.size > kMostNoteBytes || !file.holds(area.offset, area.size)) return false;
  std::vector<std::byte> bytes(area.size);
  return file.read(area.offset, bytes) && split_notes(bytes, area.alignment, owner, notes);
}

}  // namespace

ElfFile read_elf_file(const std::string& path, std::string_view section, std::string_view owner) {
  ElfFile result;
  const FileBytes file(path);
  if (file.problem()) {
    result.refused = file.problem();
    return result;
  }
  ElfTables tables;
  result.refused = read_elf_tables(file, tables);
  if (result.refused) return result;
  for (const NoteArea& area : note_areas(file, tables, section)) {
    if (!read_area(file, area, owner, result.notes)) {
      result.refused = "damaged: its ELF notes cannot be read; copy or build it again";
      return result;
    }
  }
  return result;
}

}  // namespace lightrun::plugin
