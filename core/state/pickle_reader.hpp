#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lightrun::state {

struct PickleValue;

/// A Python class or function by its name, as `collections` `OrderedDict`. Nothing is ever imported or
/// called.
struct PickleGlobal {
  std::string_view module;
  std::string_view name;

  friend bool operator==(const PickleGlobal&, const PickleGlobal&) = default;
};

struct PickleTuple {
  std::vector<const PickleValue*> items;
};

/// Whatever is no whole number, text, name or tuple: which class or function would have made it of which
/// arguments. A dict is one of `builtins` `dict`, None one of `builtins` `NoneType`, and so on. What a list
/// or a set holds and what attributes an object has is left out.
struct PickleObject {
  PickleGlobal made_by;
  const PickleTuple* arguments = nullptr;
  /// What was set in it by key, in order; of two entries of one key the later counts.
  std::vector<std::pair<const PickleValue*, const PickleValue*>> entries{};
};

/// Something kept outside of the pickle, by what its writer calls it.
struct PickleReference {
  const PickleValue* id;
};

struct PickleValue {
  std::variant<PickleObject, PickleTuple, PickleGlobal, PickleReference, std::string_view, int64_t> content;

  template <typename Content>
  [[nodiscard]] const Content* get() const {
    return std::get_if<Content>(&content);
  }
};

/// What a pickle holds: views of its bytes, which must outlive it.
struct Pickle {
  std::deque<PickleValue> values{};  ///< owns them all: any may refer to any, in circles too
  const PickleValue* root = nullptr;
};

/// Reads a pickle of protocol 2 to 5: what its opcodes say, never doing what they would have done. Time and
/// memory are in proportion to the bytes. Throws RunError where they are damaged, or of another protocol.
/// @param file where it is from, for messages
[[nodiscard]] Pickle read_pickle(const std::filesystem::path& file, std::string_view bytes);

}  // namespace lightrun::state
