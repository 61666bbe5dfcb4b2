#include "optim/archive_state.hpp"

#include <lightrun/error.hpp>

namespace lightrun::optim {
namespace {

// Adam's betas are a tuple in the archive, and must be one again.
constexpr std::string_view kTupleMark = "()";
constexpr const char* kOwnKey = "kind";

StateDict::Value value_of(const c10::IValue& value, const std::string& what) {
  if (value.isTensor()) return value.toTensor();
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return value.toDouble();
  if (value.isString()) return value.toStringRef();
  if (value.isIntList()) return value.toIntVector();
  if (value.isDoubleList()) return value.toDoubleVector();
  throw RunError(what + " is a " + value.tagKind() + ", which a checkpoint cannot keep");
}

std::vector<double> numbers_of(const c10::ivalue::Tuple& tuple, const std::string& what) {
  std::vector<double> numbers;
  for (const auto& element : tuple.elements()) {
    if (!element.isDouble()) throw RunError(what + " is a tuple, and not of numbers");
    numbers.push_back(element.toDouble());
  }
  return numbers;
}

void write_value(torch::serialize::OutputArchive& archive, const std::string& name,
                 const StateDict::Value& value) {
  if (const auto* tensor = std::get_if<torch::Tensor>(&value)) {
    archive.write(name, *tensor);
    return;
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&value); numbers && name.ends_with(kTupleMark)) {
    std::vector<c10::IValue> elements(numbers->begin(), numbers->end());
    archive.write(name.substr(0, name.size() - kTupleMark.size()),
                  c10::ivalue::Tuple::create(std::move(elements)));
    return;
  }
  std::visit(
      [&](const auto& plain) {
        if constexpr (requires { c10::IValue(plain); }) archive.write(name, c10::IValue(plain));
      },
      value);
}

}  // namespace

void take_values(const torch::serialize::OutputArchive& archive, const std::string& whose,
                 StateDict& values) {
  // What is written can be listed only by reading it again.
  std::stringstream bytes;
  const_cast<torch::serialize::OutputArchive&>(archive).save_to(bytes);
  torch::serialize::InputArchive reader;
  reader.load_from(bytes);
  for (const std::string& key : reader.keys()) {
    c10::IValue value;
    if (!reader.try_read(key, value) || value.isNone() || key == "training") continue;
    const std::string what = whose + ": its '" + key + "'";
    if (value.isTuple())
      values.set(key + std::string(kTupleMark), numbers_of(value.toTupleRef(), what));
    else
      values.set(key, value_of(value, what));
  }
}

torch::serialize::InputArchive archive_of(const StateDict& values) {
  torch::serialize::OutputArchive writer;
  for (const auto& [name, value] : values.values()) {
    if (name != kOwnKey) write_value(writer, name, value);
  }
  std::stringstream bytes;
  writer.save_to(bytes);
  torch::serialize::InputArchive reader;
  reader.load_from(bytes);
  return reader;
}

}  // namespace lightrun::optim
