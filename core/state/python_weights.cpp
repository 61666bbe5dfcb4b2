#include "state/python_weights.hpp"

#include "state/python_storage_types.hpp"
#include "support/atomic_file.hpp"

#include <lightrun/error.hpp>

#include <c10/util/Exception.h>
#include <c10/util/strides.h>
#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <set>
#include <string_view>

namespace lightrun::state {
namespace {

static_assert(std::endian::native == std::endian::little, "the files say that they are little-endian");

// Python's pickletools.py tells what each letter does.
constexpr std::string_view kProtocol2 = "\x80\x02";
constexpr std::string_view kFalse = "\x89";
constexpr std::string_view kMark = "(";
constexpr std::string_view kEmptyOrderedDict = "ccollections\nOrderedDict\n)R";

std::string_view storage_type_of(const std::string& name, const torch::Tensor& tensor) {
  const auto* const found = std::ranges::find(kPythonStorageTypes, tensor.scalar_type(),
                                              [](const auto& type) { return type.second; });
  if (found == kPythonStorageTypes.end() || tensor.layout() != torch::kStrided) {
    throw RunError(c10::str("tensor '", name, "' cannot be saved for Python: it is ", tensor.layout(), " ",
                            toString(tensor.scalar_type())));
  }
  return found->first;
}

/// The pickle of an OrderedDict of tensors, whose data are records 0, 1, ... of the archive. Of protocol 2,
/// and of opcodes and names only that weights_only=True allows (torch::pickle_save makes others).
class StateDictPickle {
 public:
  StateDictPickle() : bytes_(kProtocol2) { bytes_.append(kEmptyOrderedDict).append(kMark); }

  void add(const std::string& name, const torch::Tensor& tensor) {
    text(name);
    bytes_ += "ctorch._utils\n_rebuild_tensor_v2\n((";
    text("storage");
    bytes_.append("ctorch\n").append(storage_type_of(name, tensor)).append("\n");
    text(std::to_string(tensors_++));
    text("cpu");
    number(tensor.numel());
    bytes_ += "tQ";
    number(0);  // where in the storage it begins
    tuple(tensor.sizes());
    tuple(c10::contiguous_strides(tensor.sizes()));
    bytes_.append(kFalse).append(kEmptyOrderedDict).append("tR");  // no gradient, no hooks
  }

  [[nodiscard]] std::string finish() && { return std::move(bytes_) + "u."; }

 private:
  template <typename Number>
  void raw(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void text(const std::string& text) {
    bytes_ += 'X';
    raw(static_cast<uint32_t>(text.size()));
    bytes_ += text;
  }

  void number(int64_t value) {
    bytes_ += "\x8a\x08";
    raw(value);
  }

  void tuple(torch::IntArrayRef values) {
    bytes_ += '(';
    for (const int64_t value : values) number(value);
    bytes_ += 't';
  }

  std::string bytes_;
  std::size_t tensors_ = 0;
};

std::string pickle_of(const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  StateDictPickle pickle;
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second) throw RunError("two tensors are called '" + name + "'");
    pickle.add(name, tensor);
  }
  return std::move(pickle).finish();
}

void write_archive(std::ostream& out, const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  const std::string pickle = pickle_of(tensors);
  constexpr std::string_view byte_order = "little";
  caffe2::serialize::PyTorchStreamWriter archive([&out](const void* data, std::size_t size) {
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    return size;  // that the disk is full is for who made the stream to say
  });
  archive.writeRecord("data.pkl", pickle.data(), pickle.size());
  archive.writeRecord("byteorder", byte_order.data(), byte_order.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto values = tensors[i].second.detach().to(torch::kCPU).resolve_conj().resolve_neg().contiguous();
    archive.writeRecord("data/" + std::to_string(i), values.data_ptr(), values.nbytes());
  }
  archive.writeEndOfFile();
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::string bytes(count, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace

bool is_zip_file(const std::filesystem::path& path) {
  return first_bytes(path, 4) == "PK\3\4";
}

bool is_old_python_file(const std::filesystem::path& path) {
  // A pickle of the number 0x1950a86a20f9469cfc6c, of any protocol.
  constexpr std::string_view magic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
  const std::string bytes = first_bytes(path, 2 + magic.size());
  return bytes.starts_with('\x80') && bytes.ends_with(magic);
}

void write_python_state_dict(const std::filesystem::path& path,
                             const std::vector<std::pair<std::string, torch::Tensor>>& tensors) {
  try {
    support::write_file_atomically(path, [&](std::ostream& out) { write_archive(out, tensors); });
  } catch (const c10::Error& error) {
    throw RunError(path.string() + ": cannot be written: " + error.what_without_backtrace());
  }
}

}  // namespace lightrun::state
