#include "state/pickled_tensor.hpp"
#include "state/python_storage_types.hpp"
#include "state/python_weights.hpp"
#include "support/elide.hpp"
#include "support/file_descriptor.hpp"

#include <lightrun/error.hpp>

#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <memory>

namespace lightrun::state {
namespace {

using PythonArchive = caffe2::serialize::PyTorchStreamReader;

constexpr std::size_t kLongestPickle = 256 << 20;
constexpr std::size_t kLongestShownName = 100;
constexpr std::size_t kLongestReason = 300;
constexpr uint64_t kMostRepetition = 64;  // some modules buffer an expanded constant, many share weights
constexpr uint64_t kSmallFile = 1 << 20;

[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why) {
  throw RunError(path.string() + ": " + why);
}

std::string shown(std::string_view name) {
  return support::elide(name, kLongestShownName);
}

void check_is_archive(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse_file(path, "is a folder, not a file");
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    refuse_file(path, "is no regular file");
  if (!std::ifstream(path)) refuse_file(path, "cannot be read: " + support::errno_text(errno));
  if (is_old_python_file(path)) {
    refuse_file(path,
                "is in torch.save's format of before PyTorch 1.6: load it in Python and save it again, with "
                "torch.save of a newer one or as safetensors");
  }
  if (!is_zip_file(path)) refuse_file(path, "is no file of torch.save: it does not begin as a zip archive");
}

std::string text_in(PythonArchive& archive, const std::string& record) {
  const auto [data, size] = archive.getRecord(record);
  return {static_cast<const char*>(data.get()), size};
}

void check_holds_pickle(const std::filesystem::path& path, PythonArchive& archive) {
  if (archive.hasRecord("constants.pkl")) {
    refuse_file(
        path,
        "is a TorchScript archive (of torch.jit.save, or of torch::save in C++): a program, not only "
        "weights. These can be saved in Python: torch.save(torch.jit.load(path).state_dict(), new_path)");
  }
  if (!archive.hasRecord("data.pkl")) refuse_file(path, "is no file of torch.save: it has no data.pkl");
  if (archive.hasRecord("byteorder") && text_in(archive, "byteorder") != "little") {
    refuse_file(path, "is of a machine that is not little-endian: load it there and save it as safetensors");
  }
}

/// What LibTorch throws may begin with a place in its source and go on with a stack trace.
std::string reason_of(const std::exception& error) {
  const std::string text = error.what();
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t place = line.starts_with("[enforce fail") ? line.find("] . ") : std::string::npos;
  return support::elide(place == std::string::npos ? line : line.substr(place + 4), kLongestReason);
}

std::string description_of(const PickleValue& value) {
  if (value.get<int64_t>() != nullptr) return "a number";
  if (value.get<std::string_view>() != nullptr) return "a text";
  if (value.get<PickleTuple>() != nullptr) return "a tuple";
  if (value.get<PickleReference>() != nullptr) return "a storage";
  const auto* const object = value.get<PickleObject>();
  const auto& [module, name] = object != nullptr ? object->made_by : *value.get<PickleGlobal>();
  if (object != nullptr && module == "builtins") return "a Python " + shown(name);
  return (object != nullptr ? "made by " : "the name ") + shown(module) + "." + shown(name);
}

/// The value as a dict, where it is one.
const PickleObject* dict_in(const PickleValue& value) {
  const auto* const object = value.get<PickleObject>();
  if (object == nullptr || (object->arguments != nullptr && !object->arguments->items.empty()))
    return nullptr;
  const bool is_dict = object->made_by == PickleGlobal{"builtins", "dict"} ||
                       object->made_by == PickleGlobal{"collections", "OrderedDict"};
  return is_dict ? object : nullptr;
}

const PickleObject& state_dict_in(const std::filesystem::path& path, const PickleValue& root) {
  const PickleObject* const dict = dict_in(root);
  if (dict == nullptr) {
    refuse_file(path, "holds no state dict: what it holds is " +
                          (pickled_tensor_in(root) ? "a tensor" : description_of(root)) +
                          ". In Python: torch.save(model.state_dict(), path)");
  }
  for (const std::string_view wrapper : {"state_dict", "model_state_dict", "model"}) {
    for (const auto& [key, value] : dict->entries) {
      const auto* const text = key->get<std::string_view>();
      const auto* const wrapped = dict_in(*value);
      if (text != nullptr && *text == wrapper && wrapped != nullptr) return *wrapped;
    }
  }
  return *dict;
}

/// A tensor that is known to lie within the storage it names.
struct PlannedTensor {
  PickledTensor pickled;
  torch::ScalarType type;
  int64_t elements;

  [[nodiscard]] uint64_t bytes_of(int64_t count) const {
    return static_cast<uint64_t>(count) * c10::elementSize(type);
  }
};

using PlannedTensors = std::map<std::string, PlannedTensor>;

/// Throws RunError: what is wrong with it.
PlannedTensor planned_tensor(const PickleValue& value) {
  auto pickled = pickled_tensor_in(value);
  if (!pickled) throw RunError("is no tensor that can be read here: it is " + description_of(value));
  if (pickled->has_metadata)
    throw RunError(
        "is conjugated, negated or of a special device: save its cpu().resolve_conj().resolve_neg()");
  const auto& [module, name] = pickled->storage_type;
  const auto* const type =
      std::ranges::find(kPythonStorageTypes, name, [](const auto& known) { return known.first; });
  if (module != "torch" || type == kPythonStorageTypes.end())
    throw RunError("is of a type that cannot be read here: " + shown(module) + "." + shown(name));
  const auto extent = extent_of(*pickled);
  const auto most =
      std::numeric_limits<int64_t>::max() / static_cast<int64_t>(c10::elementSize(type->second));
  if (!extent || extent->elements > most || pickled->storage_length > most ||
      (extent->elements > 0 && extent->last >= pickled->storage_length)) {
    throw RunError("is damaged: it reaches beyond its storage");
  }
  return {std::move(*pickled), type->second, extent->elements};
}

PlannedTensors planned_tensors(const std::filesystem::path& path, const PickleObject& state_dict) {
  PlannedTensors tensors;
  for (const auto& [key, value] : state_dict.entries) {
    const auto* const name = key->get<std::string_view>();
    if (name == nullptr) refuse_file(path, "holds no state dict: a key in it is " + description_of(*key));
    try {
      tensors.insert_or_assign(std::string(*name), planned_tensor(*value));
    } catch (const RunError& error) {
      refuse_file(path, "'" + shown(*name) + "' " + error.what());
    }
  }
  return tensors;
}

/// A few bytes can ask for any number of tensors of one storage, and for one that repeats a single element.
void check_memory(const std::filesystem::path& path, const PlannedTensors& tensors) {
  const uint64_t most = kMostRepetition * (std::filesystem::file_size(path) + kSmallFile);
  uint64_t total = 0;
  for (const auto& [name, tensor] : tensors) {
    if (__builtin_add_overflow(total, tensor.bytes_of(tensor.elements), &total) || total > most) {
      refuse_file(path, "is damaged: its tensors up to '" + shown(name) + "' would take more than " +
                            std::to_string(most) + " bytes");
    }
  }
}

/// An archive's storages. Each is read once, and kept while tensors that share it are to come.
class PythonStorages {
 public:
  PythonStorages(PythonArchive& archive, const PlannedTensors& tensors) : archive_(archive) {
    for (const auto& [name, tensor] : tensors) ++storages_[tensor.pickled.storage_key].users;
  }

  /// The tensor, of which no other shares the data. Throws RunError: what is wrong with it.
  torch::Tensor read(const PlannedTensor& tensor) {
    const PickledTensor& pickled = tensor.pickled;
    if (tensor.elements == 0) return torch::empty(pickled.sizes, tensor.type);
    Storage& storage = storages_.at(pickled.storage_key);
    if (storage.data == nullptr) load(pickled.storage_key, storage);
    if (storage.bytes < tensor.bytes_of(pickled.storage_length)) {
      throw RunError("is truncated: its storage should have " +
                     std::to_string(tensor.bytes_of(pickled.storage_length)) + " bytes, it has " +
                     std::to_string(storage.bytes));
    }
    const auto all = torch::from_blob(
        storage.data->get(), {pickled.storage_length}, [data = storage.data](void*) {}, tensor.type);
    const auto view = all.as_strided(pickled.sizes, pickled.strides, pickled.offset);
    const bool is_whole = storage.users == 1 && tensor.elements == pickled.storage_length;
    if (++storage.done == storage.users) storage.data.reset();
    return is_whole && view.is_contiguous() ? view : view.clone(torch::MemoryFormat::Contiguous);
  }

 private:
  struct Storage {
    std::size_t users = 0;
    std::size_t done = 0;
    std::shared_ptr<at::DataPtr> data;
    std::size_t bytes = 0;
  };

  void load(std::string_view key, Storage& storage) {
    const std::string record = "data/" + std::string(key);
    if (!archive_.hasRecord(record)) throw RunError("is not there: the file has no " + shown(record));
    auto [data, bytes] = archive_.getRecord(record);
    storage.data = std::make_shared<at::DataPtr>(std::move(data));
    storage.bytes = bytes;
  }

  PythonArchive& archive_;
  std::map<std::string_view, Storage> storages_;
};

std::map<std::string, torch::Tensor> read_tensors(const std::filesystem::path& path, PythonArchive& archive) {
  const auto [data, size] = archive.getRecord("data.pkl");
  if (size > kLongestPickle) refuse_file(path, "has a data.pkl that is too long: weights are not in there");
  const Pickle pickle = read_pickle(path, {static_cast<const char*>(data.get()), size});
  const PlannedTensors planned = planned_tensors(path, state_dict_in(path, *pickle.root));
  check_memory(path, planned);
  PythonStorages storages(archive, planned);
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& [name, tensor] : planned) {
    try {
      tensors.emplace(name, storages.read(tensor));
    } catch (const RunError& error) {
      refuse_file(path, "'" + shown(name) + "' " + error.what());
    }
  }
  return tensors;
}

}  // namespace

std::map<std::string, torch::Tensor> read_python_state_dict(const std::filesystem::path& path) {
  check_is_archive(path);
  try {
    PythonArchive archive(path.string());
    check_holds_pickle(path, archive);
    return read_tensors(path, archive);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    refuse_file(path, "cannot be read as a file of torch.save, it may be truncated: " + reason_of(error));
  }
}

}  // namespace lightrun::state
