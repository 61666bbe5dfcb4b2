#include "state/misfit.hpp"

#include "support/text.hpp"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace lightrun::state {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;

std::string kind_of(const torch::Tensor& tensor) {
  return c10::str(tensor.sizes(), " ", toString(tensor.scalar_type()));
}

std::string differences(const Tensors& in_file, const Tensors& in_model) {
  std::string text;
  for (const auto& [name, tensor] : in_model) {
    const auto found = in_file.find(name);
    if (found == in_file.end()) {
      text += "\n  " + name + ": not in the file, " + kind_of(tensor) + " in the model";
    } else if (found->second.sizes() != tensor.sizes() ||
               found->second.scalar_type() != tensor.scalar_type()) {
      text += "\n  " + name + ": " + kind_of(found->second) + " in the file, " + kind_of(tensor) +
              " in the model";
    }
  }
  for (const auto& [name, tensor] : in_file) {
    if (!in_model.contains(name))
      text += "\n  " + name + ": " + kind_of(tensor) + " in the file, not in the model";
  }
  return text;
}

/// The names of `longer` are those of `shorter`, all with one prefix: which ("module.").
std::optional<std::string> prefix_of(const Tensors& longer, const Tensors& shorter) {
  if (longer.empty() || longer.size() != shorter.size()) return std::nullopt;
  // A prefix before all names leaves their order as it is.
  const std::string& first = longer.begin()->first;
  const std::string& bare = shorter.begin()->first;
  if (first.size() <= bare.size() || !first.ends_with('.' + bare)) return std::nullopt;
  std::string prefix = first.substr(0, first.size() - bare.size());
  const bool fits = std::ranges::equal(longer, shorter, [&](const auto& with, const auto& without) {
    return with.first == prefix + without.first;
  });
  return fits ? std::optional(std::move(prefix)) : std::nullopt;
}

/// Who puts such a prefix there.
std::string author_of(const std::string& prefix) {
  if (prefix.starts_with("module.")) return ", as DataParallel and DistributedDataParallel save them";
  if (prefix.starts_with("_orig_mod.")) return ", as torch.compile saves them";
  if (prefix.starts_with("model.")) return ", as a LightningModule saves those of its self.model";
  return "";
}

std::string prefix_hint(const Tensors& in_file, const Tensors& in_model) {
  if (const auto prefix = prefix_of(in_file, in_model)) {
    return "\n  every name in the file begins with '" + *prefix + "'" + author_of(*prefix) +
           ": --strip-prefix " + *prefix + " leaves that out";
  }
  if (const auto prefix = prefix_of(in_model, in_file)) {
    return "\n  every name in the model begins with '" + *prefix +
           "', which those in the file lack; in Python: weights = {'" + *prefix +
           "' + name: tensor for name, tensor in weights.items()}";
  }
  return "";
}

/// "float16" of torch::kHalf.
std::string python_dtype(torch::ScalarType type) {
  if (type == torch::kHalf) return "float16";
  if (type == torch::kFloat) return "float32";
  if (type == torch::kDouble) return "float64";
  return support::lower_case(toString(type));
}

/// Where the names are the same and the floating-point numbers are all of one type there and another here.
std::string dtype_hint(const Tensors& in_file, const Tensors& in_model) {
  std::set<std::pair<torch::ScalarType, torch::ScalarType>> pairs;
  for (const auto& [name, tensor] : in_model) {
    const auto found = in_file.find(name);
    if (found == in_file.end() || found->second.sizes() != tensor.sizes()) return "";
    if (found->second.scalar_type() == tensor.scalar_type()) continue;
    if (!found->second.is_floating_point() || !tensor.is_floating_point()) return "";
    pairs.emplace(found->second.scalar_type(), tensor.scalar_type());
  }
  if (pairs.size() != 1 || in_file.size() != in_model.size()) return "";
  const auto [there, here] = *pairs.begin();
  std::string text = c10::str("\n  only the dtype differs: ", toString(there), " in the file, ",
                              toString(here), " in the model; ");
  if (there == torch::kDouble) text += "trainer.precision: 64 makes the model Double, too; or ";
  return text + "in Python: weights = {name: tensor.to(torch." + python_dtype(here) +
         ") if tensor.is_floating_point() else tensor for name, tensor in weights.items()}";
}

}  // namespace

std::string misfit(const Tensors& in_file, const Tensors& in_model) {
  const std::string text = differences(in_file, in_model);
  return text.empty() ? text : text + prefix_hint(in_file, in_model) + dtype_hint(in_file, in_model);
}

}  // namespace lightrun::state
