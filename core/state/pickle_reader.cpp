#include "state/pickle_reader.hpp"

#include <lightrun/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace lightrun::state {
namespace {

static_assert(std::endian::native == std::endian::little, "pickles are little-endian");

constexpr uint8_t kLastProtocol = 5;

PickleObject builtin(std::string_view name) {
  return {.made_by = {"builtins", name}};
}

/// The machine of Python's pickletools.py: a stack, marks in it, and a memo.
class PickleMachine {
 public:
  PickleMachine(const std::filesystem::path& file, std::string_view bytes)
      : file_(file), size_(bytes.size()), rest_(bytes) {}

  Pickle run() {
    for (;;) {
      const char opcode = take(1).front();
      if (opcode == '.') break;  // STOP
      if (!do_frame(opcode) && !do_number(opcode) && !do_text(opcode) && !do_stack(opcode) &&
          !do_sequence(opcode) && !do_dict(opcode) && !do_object(opcode)) {
        refuse(fmt::format("has the unknown opcode {:#04x}", static_cast<unsigned char>(opcode)));
      }
    }
    pickle_.root = pop();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw RunError(
        fmt::format("{}: its pickle is damaged or of another protocol than 2 to {}: at byte {} it {}",
                    file_.string(), kLastProtocol, size_ - rest_.size(), what));
  }

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) refuse("ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view line() {
    const std::string_view text = take(std::min(rest_.find('\n'), rest_.size()));
    take(1);
    return text;
  }

  template <typename Content>
  bool add(Content content) {
    return push(&pickle_.values.emplace_back(PickleValue{std::move(content)}));
  }

  bool push(PickleValue* value) {
    stack_.push_back(value);
    return true;
  }

  PickleValue* top() const {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) refuse("takes more values than there are");
    return stack_.back();
  }

  PickleValue* pop() {
    PickleValue* const value = top();
    stack_.pop_back();
    return value;
  }

  /// What is above the last mark.
  std::vector<const PickleValue*> pop_mark() {
    if (marks_.empty()) refuse("goes back to a mark that was not set");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<const PickleValue*> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }

  bool do_frame(char opcode) {
    switch (opcode) {
      case '\x80':  // PROTO
        if (number<uint8_t>() > kLastProtocol) refuse("is of a later one");
        return true;
      case '\x95':  // FRAME
        if (number<uint64_t>() > rest_.size()) refuse("ends too early");
        return true;
      default:
        return false;
    }
  }

  bool do_number(char opcode) {
    switch (opcode) {
      case 'N':
        return add(builtin("NoneType"));
      case '\x88':  // NEWTRUE
      case '\x89':  // NEWFALSE
        return add(builtin("bool"));
      case 'J':  // BININT
        return add(int64_t{number<int32_t>()});
      case 'K':  // BININT1
        return add(int64_t{number<uint8_t>()});
      case 'M':  // BININT2
        return add(int64_t{number<uint16_t>()});
      case '\x8a':  // LONG1
        return add_long(take(number<uint8_t>()));
      case '\x8b':  // LONG4
        return add_long(take(number<uint32_t>()));
      case 'G':  // BINFLOAT
        take(sizeof(double));
        return add(builtin("float"));
      default:
        return false;
    }
  }

  /// Two's complement, in as many bytes as the number needs.
  bool add_long(std::string_view bytes) {
    if (bytes.size() > sizeof(int64_t)) return add(builtin("int"));
    int64_t value = !bytes.empty() && static_cast<signed char>(bytes.back()) < 0 ? -1 : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return add(value);
  }

  bool do_text(char opcode) {
    switch (opcode) {
      case 'U':     // SHORT_BINSTRING
      case '\x8c':  // SHORT_BINUNICODE
        return add(take(number<uint8_t>()));
      case 'T':  // BINSTRING
      case 'X':  // BINUNICODE
        return add(take(number<uint32_t>()));
      case '\x8d':  // BINUNICODE8
        return add(take(number<uint64_t>()));
      case 'C':  // SHORT_BINBYTES
        take(number<uint8_t>());
        return add(builtin("bytes"));
      case 'B':  // BINBYTES
        take(number<uint32_t>());
        return add(builtin("bytes"));
      case '\x8e':  // BINBYTES8
      case '\x96':  // BYTEARRAY8
        take(number<uint64_t>());
        return add(builtin("bytes"));
      default:
        return false;
    }
  }

  bool do_stack(char opcode) {
    switch (opcode) {
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return true;
      case '0':  // POP
        pop();
        return true;
      case '1':  // POP_MARK
        pop_mark();
        return true;
      case '2':  // DUP
        return push(top());
      case 'q':  // BINPUT
        memo_[number<uint8_t>()] = top();
        return true;
      case 'r':  // LONG_BINPUT
        memo_[number<uint32_t>()] = top();
        return true;
      case '\x94':  // MEMOIZE
        memo_[static_cast<uint32_t>(memo_.size())] = top();
        return true;
      case 'h':  // BINGET
        return push(kept(number<uint8_t>()));
      case 'j':  // LONG_BINGET
        return push(kept(number<uint32_t>()));
      default:
        return false;
    }
  }

  PickleValue* kept(uint32_t index) const {
    const auto found = memo_.find(index);
    if (found == memo_.end()) refuse("recalls a value that was not kept");
    return found->second;
  }

  bool do_sequence(char opcode) {
    switch (opcode) {
      case ')':  // EMPTY_TUPLE
        return add(PickleTuple{});
      case '\x85':  // TUPLE1
        return add_tuple(1);
      case '\x86':  // TUPLE2
        return add_tuple(2);
      case '\x87':  // TUPLE3
        return add_tuple(3);
      case 't':  // TUPLE
        return add(PickleTuple{pop_mark()});
      case ']':  // EMPTY_LIST
        return add(builtin("list"));
      case '\x8f':  // EMPTY_SET
        return add(builtin("set"));
      case '\x91':  // FROZENSET
        pop_mark();
        return add(builtin("frozenset"));
      case 'a':  // APPEND
        pop();
        return has_top();
      case 'e':     // APPENDS
      case '\x90':  // ADDITEMS
        pop_mark();
        return has_top();
      default:
        return false;
    }
  }

  bool add_tuple(std::size_t length) {
    PickleTuple tuple{std::vector<const PickleValue*>(length)};
    while (length > 0) tuple.items[--length] = pop();
    return add(std::move(tuple));
  }

  bool has_top() const { return top() != nullptr; }

  bool do_dict(char opcode) {
    switch (opcode) {
      case '}':  // EMPTY_DICT
        return add(builtin("dict"));
      case 's': {  // SETITEM
        const PickleValue* const value = pop();
        const PickleValue* const key = pop();
        return set_items({key, value});
      }
      case 'u':  // SETITEMS
        return set_items(pop_mark());
      default:
        return false;
    }
  }

  bool set_items(const std::vector<const PickleValue*>& items) {
    auto* const object = std::get_if<PickleObject>(&top()->content);
    if (object == nullptr || items.size() % 2 != 0) refuse("sets items of what has none");
    for (std::size_t i = 0; i < items.size(); i += 2) object->entries.emplace_back(items[i], items[i + 1]);
    return true;
  }

  bool do_object(char opcode) {
    switch (opcode) {
      case 'c': {  // GLOBAL
        const std::string_view module = line();
        return add(PickleGlobal{module, line()});
      }
      case '\x93': {  // STACK_GLOBAL
        const auto* const name = pop()->get<std::string_view>();
        const auto* const module = pop()->get<std::string_view>();
        if (name == nullptr || module == nullptr) refuse("has a name that is no text");
        return add(PickleGlobal{*module, *name});
      }
      case '\x92':  // NEWOBJ_EX
        pop();      // the arguments by name
        [[fallthrough]];
      case 'R':       // REDUCE
      case '\x81': {  // NEWOBJ
        const auto* const arguments = pop()->get<PickleTuple>();
        return add(PickleObject{.made_by = name_of(*pop()), .arguments = arguments});
      }
      case 'b':  // BUILD: gives attributes
        pop();
        return has_top();
      case 'Q':  // BINPERSID
        return add(PickleReference{pop()});
      default:
        return false;
    }
  }

  static PickleGlobal name_of(const PickleValue& called) {
    if (const auto* const global = called.get<PickleGlobal>()) return *global;
    return {"builtins", "object"};
  }

  const std::filesystem::path& file_;
  std::size_t size_;
  std::string_view rest_;
  Pickle pickle_;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<uint32_t, PickleValue*> memo_;
};

}  // namespace

Pickle read_pickle(const std::filesystem::path& file, std::string_view bytes) {
  return PickleMachine(file, bytes).run();
}

}  // namespace lightrun::state
