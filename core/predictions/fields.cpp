#include "predictions/fields.hpp"

#include "sources/npy_format.hpp"
#include "state/safetensors.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <c10/util/StringUtil.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <optional>

namespace lightrun::predictions {
namespace {

std::string names_of(const Fields& fields) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : fields) names.push_back(name);
  return support::join(names);
}

/// The field that is written where the command line names none; nothing: all of them.
std::optional<std::string> default_field(Format format) {
  if (format == Format::text) return "text";
  return format == Format::images ? std::optional<std::string>("image") : std::nullopt;
}

Fields chosen(const Output& output, const Fields& fields) {
  const auto wanted = output.field.empty() ? default_field(output.format) : std::optional(output.field);
  if (wanted) {
    const auto found = std::ranges::find(fields, *wanted, &Fields::value_type::first);
    if (found != fields.end()) return {*found};
    throw RunError(fmt::format(
        "{} takes field '{}', and the model predicts {}{}", output.path.string(), *wanted, names_of(fields),
        output.field.empty() && fields.size() > 1 ? "; choose one: --field NAME" : ""));
  }
  if (output.format == Format::npy && fields.size() > 1) {
    throw RunError(
        fmt::format("{} holds one field, and the model predicts {}: choose one, --field NAME, or "
                    "write a .safetensors file",
                    output.path.string(), names_of(fields)));
  }
  return fields;
}

/// Why the format has no place for the tensor; "" where it has one.
std::string fault(Format format, const torch::Tensor& tensor) {
  const auto type = tensor.scalar_type();
  switch (format) {
    case Format::csv:
      if (c10::isComplexType(type)) return "a .csv file has no complex numbers: write a .safetensors file";
      return tensor.dim() <= 2 ? "" : "a .csv file has rows of numbers: write a .npy or .safetensors file";
    case Format::npy:
      if (type == torch::kBFloat16) return "";
      return std::ranges::any_of(sources::kNpyTypes, [&](const auto& known) { return known.second == type; })
                 ? ""
                 : "lightrun writes no such .npy file: write a .safetensors file";
    case Format::safetensors:
      return state::reason_not_to_save(tensor).value_or("");
    case Format::text:
      return type == torch::kUInt8 && tensor.dim() == 2 ? "" : "a text is of bytes, [N, L] Byte";
    case Format::images: {
      const bool has_shape = tensor.dim() == 4 && (tensor.size(1) == 1 || tensor.size(1) == 3);
      return has_shape && tensor.is_floating_point()
                 ? ""
                 : "an image is of numbers from 0 to 1, [N, 1 or 3, H, W] Float";
    }
  }
  return "";
}

}  // namespace

std::string type_text(const torch::Tensor& tensor) {
  return fmt::format("{} {}", c10::str(tensor.sizes()), toString(tensor.scalar_type()));
}

Fields fields_for(const Output& output, const Fields& fields) {
  Fields taken = chosen(output, fields);
  for (const auto& [name, tensor] : taken) {
    const std::string why = fault(output.format, tensor);
    if (!why.empty()) throw RunError(fmt::format("field '{}' is {}; {}", name, type_text(tensor), why));
  }
  return taken;
}

}  // namespace lightrun::predictions
