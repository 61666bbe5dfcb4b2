#include "state/safetensors.hpp"
#include "state/safetensors_checksum.hpp"
#include "state/safetensors_types.hpp"
#include "support/elide.hpp"
#include "support/file_descriptor.hpp"

#include <lightrun/error.hpp>

#include <c10/util/Exception.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>

namespace lightrun::state {
namespace {

/// A file that is read from its first byte to its last. Errors want the path before them.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path)
      // Not to wait for the other end of a pipe.
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status = {};
    if (!file_.is_open() || ::fstat(file_.get(), &status) != 0) fail(errno);
    if (S_ISDIR(status.st_mode)) throw RunError("is a folder, not a file");
    if (!S_ISREG(status.st_mode)) throw RunError("is no regular file");
    size_ = static_cast<uint64_t>(status.st_size);
  }

  [[nodiscard]] uint64_t size() const { return size_; }

  void read(std::span<char> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::read(file_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(errno);
      if (count == 0) throw RunError("is truncated: it became shorter while it was read");
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

 private:
  [[noreturn]] static void fail(int error) {
    throw RunError("cannot be read: " + support::errno_text(error));
  }

  support::FileDescriptor file_;
  uint64_t size_ = 0;
};

/// All before the data.
std::string read_head(InputFile& file) {
  std::string head(std::min<uint64_t>(kLengthBytes, file.size()), '\0');
  file.read(head);
  const uint64_t length = safetensors_header_length(head, file.size());
  head.resize(kLengthBytes + length);
  file.read(std::span(head).subspan(kLengthBytes));
  return head;
}

SafetensorsHeader parse_head(std::string_view head, const InputFile& file) {
  return parse_safetensors_header(head.substr(kLengthBytes), file.size() - head.size());
}

[[noreturn]] void refuse_tensor(const SafetensorsEntry& entry, const std::string& why) {
  constexpr std::size_t kWidth = 100;
  throw RunError("tensor '" + support::elide(entry.name, kWidth) + "' " + why);
}

torch::Tensor make_tensor(const SafetensorsEntry& entry) {
  const auto* const type =
      std::ranges::find(kSharedTypes, entry.dtype, [](const auto& pair) { return pair.first; });
  if (type == kSharedTypes.end())
    refuse_tensor(entry, "has the type " + std::string(name_of(entry.dtype)) + ", which LibTorch has not");
  try {
    return torch::empty(entry.shape, type->second);
  } catch (const c10::Error&) {
    refuse_tensor(entry,
                  "does not fit into memory: it has " + std::to_string(entry.end - entry.begin) + " bytes");
  }
}

/// In pieces that stay in the cache from the one to the other.
void read_and_add(InputFile& file, std::span<char> bytes, support::Crc32c& crc) {
  constexpr std::size_t kPieceBytes = 1 << 18;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(kPieceBytes, bytes.size()));
    file.read(piece);
    crc.add({piece.data(), piece.size()});
    bytes = bytes.subspan(piece.size());
  }
}

torch::Tensor read_tensor(InputFile& file, const SafetensorsEntry& entry, support::Crc32c& crc) {
  torch::Tensor tensor = make_tensor(entry);
  const std::span bytes(static_cast<char*>(tensor.data_ptr()), tensor.nbytes());
  read_and_add(file, bytes, crc);
  // C++ says nothing of what a bool of another value does.
  const bool is_bool = entry.dtype == Dtype::boolean;
  if (is_bool && std::ranges::any_of(bytes, [](char byte) { return byte != 0 && byte != 1; }))
    refuse_tensor(entry, "has values that are neither true nor false");
  return tensor;
}

SafetensorsFile read_all(InputFile& file) {
  const std::string head = read_head(file);
  SafetensorsHeader header = parse_head(head, file);
  SafetensorsFile result;
  support::Crc32c crc = checksum_of_head(head);
  for (const SafetensorsEntry& entry : header.entries)
    result.tensors.emplace(entry.name, read_tensor(file, entry, crc));
  if (header.checksum && *header.checksum != crc.value()) {
    throw RunError("is damaged (or was changed by a program that kept the checksum): its checksum is " +
                   digits_of_checksum(*header.checksum) + ", that of its bytes " +
                   digits_of_checksum(crc.value()));
  }
  result.verified = header.checksum.has_value();
  result.metadata = std::move(header.metadata);
  return result;
}

/// What `read` answers; an error gets the path.
template <typename Read>
auto with_path(const std::filesystem::path& path, const Read& read) {
  try {
    InputFile file(path);
    return read(file);
  } catch (const RunError& error) {
    throw RunError(path.string() + ": " + error.what());
  }
}

}  // namespace

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  return with_path(path, read_all);
}

SafetensorsHeader read_safetensors_header(const std::filesystem::path& path) {
  return with_path(path, [](InputFile& file) { return parse_head(read_head(file), file); });
}

}  // namespace lightrun::state
