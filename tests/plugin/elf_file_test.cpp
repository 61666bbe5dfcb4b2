#include "plugin/elf_file.hpp"

#include "plugin/elf_tables.hpp"
#include "plugin/file_bytes.hpp"
#include "plugin/test_files.hpp"
#include "support/catch.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <random>
#include <vector>

using namespace lightrun::test;
using lightrun::plugin::ElfFile;

namespace {

ElfFile read(const std::string& path) {
  return lightrun::plugin::read_elf_file(path, ".note.lightrun", "lightrun");
}

std::string reason(const std::string& path) {
  return read(path).refused.value_or("not refused");
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

lightrun::plugin::ElfTables tables_of(const std::string& path) {
  lightrun::plugin::ElfTables tables;
  const lightrun::plugin::FileBytes file(path);
  REQUIRE_FALSE(lightrun::plugin::read_elf_tables(file, tables));
  return tables;
}

/// As `strip --strip-section-headers` leaves it.
std::string without_sections(std::string bytes) {
  bytes = patched(bytes, offsetof(Elf64_Ehdr, e_shoff), uint64_t{0});
  bytes = patched(bytes, offsetof(Elf64_Ehdr, e_shnum), uint16_t{0});
  return patched(bytes, offsetof(Elf64_Ehdr, e_shstrndx), uint16_t{0});
}

/// Sizes that cut the file: inside its header and tables, and inside each of its segments.
std::vector<uint64_t> cuts(const std::string& bytes, const lightrun::plugin::ElfTables& tables) {
  const auto sections = value_at<uint64_t>(bytes, offsetof(Elf64_Ehdr, e_shoff));
  std::vector<uint64_t> sizes = {0,  1,  3,  4,   15,       16,           18,           19,
                                 20, 63, 64, 100, sections, sections - 1, sections + 1, bytes.size() - 1};
  for (const Elf64_Phdr& segment : tables.segments) {
    if (segment.p_filesz > 0) sizes.push_back(segment.p_offset + segment.p_filesz / 2);
  }
  return sizes;
}

}  // namespace

TEST_CASE("a built plugin is read with the note of its model") {
  const ElfFile file = read(built("good"));
  CHECK_FALSE(file.refused);
  REQUIRE(file.notes.size() == 1);
  CHECK(file.notes[0].type == 1);
  CHECK(file.notes[0].payload.size() == 416);
}

TEST_CASE("a plugin with two models has two notes") {
  CHECK(read(built("two")).notes.size() == 2);
}

TEST_CASE("a shared library of somebody else has no note of ours") {
  const ElfFile file = read(built("no_note"));
  CHECK_FALSE(file.refused);
  CHECK(file.notes.empty());
}

TEST_CASE("without section headers the notes are found through the segments") {
  const TempFolder folder;
  const ElfFile file = read(write_bytes(folder / "stripped.so", without_sections(read_bytes(built("two")))));
  CHECK_FALSE(file.refused);
  CHECK(file.notes.size() == 2);
}

TEST_CASE("what is no file to read says so") {
  const TempFolder folder;
  CHECK(starts_with(reason(folder / "absent.so"), "no such file"));
  CHECK(starts_with(reason(folder.text()), "a folder"));
  REQUIRE(::mkfifo((folder / "pipe.so").c_str(), 0600) == 0);
  CHECK(starts_with(reason(folder / "pipe.so"), "not a regular file"));
  CHECK(starts_with(reason(write_bytes(folder / "empty.so", "")), "an empty file"));
  CHECK(starts_with(reason(write_bytes(folder / "text.so", "seed: 1\n")), "not an ELF file"));
  CHECK(starts_with(reason(write_bytes(folder / "letter.so", "\x7f")), "not an ELF file"));
}

TEST_CASE("a file without the right to read it says so") {
  if (::geteuid() == 0) return;  // root may read everything
  const TempFolder folder;
  const std::string path = copy_to(built("no_note"), folder / "locked.so");
  REQUIRE(::chmod(path.c_str(), 0) == 0);
  CHECK(reason(path) == "cannot be read: Permission denied");
}

TEST_CASE("a file for another machine or of another kind says which") {
  const TempFolder folder;
  const std::string good = read_bytes(built("no_note"));
  const auto reason_of = [&](std::size_t offset, auto value) {
    return reason(write_bytes(folder / "changed.so", patched(good, offset, value)));
  };
  constexpr std::size_t kMachine = offsetof(Elf64_Ehdr, e_machine);
  constexpr std::size_t kType = offsetof(Elf64_Ehdr, e_type);

  CHECK(starts_with(reason_of(kMachine, uint16_t{EM_S390}),
                    "built for machine number 22; this lightrun runs on"));
  CHECK(starts_with(reason_of(kMachine, uint16_t{EM_ARM}),
                    "built for 32-bit ARM; this lightrun runs on 64-bit"));
  CHECK(starts_with(reason_of(EI_CLASS, uint8_t{ELFCLASS32}), "built for a 32-bit machine"));
  CHECK(starts_with(reason_of(EI_DATA, uint8_t{ELFDATA2MSB}), "built for a big-endian machine"));
  CHECK(starts_with(reason_of(EI_CLASS, uint8_t{9}), "damaged"));
  CHECK(starts_with(reason_of(kType, uint16_t{ET_REL}), "an object file, not a shared library"));
  CHECK(starts_with(reason_of(kType, uint16_t{ET_EXEC}), "an executable, not a shared library"));
  CHECK(starts_with(reason_of(kType, uint16_t{ET_CORE}), "a core dump"));
}

TEST_CASE("a file cut anywhere is refused") {
  const TempFolder folder;
  const std::string bytes = read_bytes(built("good"));
  const std::vector<uint64_t> sizes = cuts(bytes, tables_of(built("good")));
  REQUIRE(sizes.size() >= 20);
  for (const uint64_t size : sizes) {
    CAPTURE(size);
    const std::string text = reason(write_bytes(folder / "cut.so", bytes.substr(0, size)));
    CHECK(starts_with(text, size == 0 ? "an empty file" : size < 4 ? "not an ELF file" : "truncated: "));
  }
}

TEST_CASE("without section headers a file cut inside a segment to load is refused") {
  const TempFolder folder;
  const std::string bytes = without_sections(read_bytes(built("good")));
  int segments = 0;
  for (const Elf64_Phdr& segment : tables_of(built("good")).segments) {
    if (segment.p_type != PT_LOAD) continue;
    ++segments;
    const uint64_t size = segment.p_offset + segment.p_filesz / 2;
    CHECK(starts_with(reason(write_bytes(folder / "cut.so", bytes.substr(0, size))), "truncated: "));
  }
  CHECK(segments >= 2);
}

TEST_CASE("numbers near the end of what 64 bits hold are refused, not added up") {
  const TempFolder folder;
  const std::string good = read_bytes(built("two"));
  const auto reason_of = [&](const std::string& bytes) {
    return reason(write_bytes(folder / "huge.so", bytes));
  };
  const auto segments = value_at<uint64_t>(good, offsetof(Elf64_Ehdr, e_phoff));
  const auto sections = value_at<uint64_t>(good, offsetof(Elf64_Ehdr, e_shoff));
  constexpr uint64_t kHuge = ~uint64_t{0} - 8;

  CHECK(starts_with(reason_of(patched(good, offsetof(Elf64_Ehdr, e_phoff), kHuge)), "truncated"));
  CHECK(starts_with(reason_of(patched(good, offsetof(Elf64_Ehdr, e_shoff), kHuge)), "truncated"));
  CHECK(starts_with(reason_of(patched(good, segments + offsetof(Elf64_Phdr, p_filesz), kHuge)), "truncated"));
  CHECK(starts_with(reason_of(patched(good, segments + offsetof(Elf64_Phdr, p_offset), kHuge)), "truncated"));
  // More sections than the header's 16 bits can say: the count stands in the first section.
  std::string extended = patched(good, offsetof(Elf64_Ehdr, e_shnum), uint16_t{0});
  extended = patched(extended, sections + offsetof(Elf64_Shdr, sh_size), uint64_t{1} << 58);
  CHECK(starts_with(reason_of(extended), "truncated"));
}

TEST_CASE("a note that reaches past its section is refused") {
  const TempFolder folder;
  const std::string good = read_bytes(built("two"));
  const std::size_t owner = good.find(std::string("lightrun\0\0\0\0", 12));
  REQUIRE(owner != std::string::npos);
  for (const uint32_t size : {417u, 5000u, 0xfffffff0u, 0xffffffffu}) {
    CAPTURE(size);
    CHECK(starts_with(reason(write_bytes(folder / "long.so", patched(good, owner - 8, size))), "damaged"));
    CHECK(starts_with(reason(write_bytes(folder / "long.so", patched(good, owner - 12, size))), "damaged"));
  }
}

TEST_CASE("a file with damaged bytes is read or refused, whichever byte it is") {
  const TempFolder folder;
  std::string bytes = read_bytes(built("two"));
  const auto tables = tables_of(built("two"));
  const auto sections = value_at<uint64_t>(bytes, offsetof(Elf64_Ehdr, e_shoff));
  const std::size_t owner = bytes.find(std::string("lightrun\0\0\0\0", 12));
  struct Region {
    std::size_t start;
    std::size_t size;
  };
  const Region regions[] = {{0, sizeof(Elf64_Ehdr) + tables.segments.size() * sizeof(Elf64_Phdr)},
                            {owner - 12, 2 * 440},
                            {sections, bytes.size() - sections}};
  std::mt19937 random(20260729);
  int refused = 0;
  for (const Region& region : regions) {
    for (int i = 0; i < 500; ++i) {
      const std::size_t place = region.start + random() % region.size;
      const char before = bytes[place];
      bytes[place] = static_cast<char>(random());
      const ElfFile file = read(write_bytes(folder / "damaged.so", bytes));
      REQUIRE((!file.refused || is_one_line(*file.refused)));
      if (file.refused) ++refused;
      bytes[place] = before;
    }
  }
  // That it comes here is the point; most damage to addresses the reader does not use goes unnoticed.
  CHECK(refused > 0);
}
