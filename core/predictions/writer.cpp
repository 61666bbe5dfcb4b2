#include "predictions/writer.hpp"

#include "predictions/formats.hpp"
#include "state/safetensors.hpp"
#include "support/atomic_file.hpp"
#include "support/quantity.hpp"
#include "support/text.hpp"

#include <lightrun/error.hpp>

#include <ATen/ATen.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <variant>

namespace lightrun::predictions {
namespace {

[[noreturn]] void refuse(int64_t batch_idx, const std::string& name, const std::string& why) {
  throw RunError(fmt::format("batch {}: field '{}' {}", batch_idx, name, why));
}

/// A copy: the model may use its tensor's memory again.
torch::Tensor on_cpu(const torch::Tensor& tensor) {
  const auto plain = tensor.detach().resolve_conj().resolve_neg();
  return plain.to(plain.options().device(torch::kCPU), /*non_blocking=*/false, /*copy=*/true,
                  at::MemoryFormat::Contiguous);
}

Fields checked_fields(int64_t batch_idx, int64_t samples, const Batch& answer) {
  if (answer.fields().empty())
    throw RunError(fmt::format("batch {}: predict_step answers no field", batch_idx));
  Fields fields;
  for (const auto& [name, field] : answer.fields()) {
    const auto* tensor = std::get_if<torch::Tensor>(&field);
    if (!tensor) refuse(batch_idx, name, "is a list of tensors; make one tensor of it, a row a sample");
    if (!tensor->defined()) refuse(batch_idx, name, "is a tensor without a value");
    if (tensor->layout() != torch::kStrided) refuse(batch_idx, name, "is not dense; to_dense() makes it so");
    if (tensor->dim() == 0 || tensor->size(0) != samples)
      refuse(batch_idx, name,
             fmt::format("is {}, and the batch has {}: a row a sample", type_text(*tensor),
                         support::counted(samples, "sample", "samples")));
    fields.emplace_back(name, on_cpu(*tensor));
  }
  return fields;
}

/// Texts that are shorter end in zeros.
torch::Tensor of_width(const torch::Tensor& text, int64_t width) {
  return at::constant_pad_nd(text, {0, width - text.size(1)});
}

}  // namespace

bool Writer::is_text(const std::string& name, const torch::Tensor& tensor) const {
  const bool is_it =
      output_.format == Format::text && !output_.field.empty() ? name == output_.field : name == "text";
  return is_it && tensor.scalar_type() == torch::kUInt8 && tensor.dim() == 2;
}

void Writer::check_same(int64_t batch_idx, const Fields& fields) const {
  const std::string first = fmt::format("in batch {}", first_batch_);
  for (const auto& column : columns_) {
    if (std::ranges::find(fields, column.name, &Fields::value_type::first) == fields.end())
      refuse(batch_idx, column.name, fmt::format("is missing, which was there {}", first));
  }
  for (const auto& [name, tensor] : fields) {
    const auto column = std::ranges::find(columns_, name, &Column::name);
    if (column == columns_.end()) refuse(batch_idx, name, fmt::format("was not there {}", first));
    const torch::Tensor& before = column->batches.front();
    const bool is_same_text = is_text(name, tensor) && is_text(name, before);
    if (tensor.scalar_type() != before.scalar_type() ||
        (!is_same_text && tensor.sizes().slice(1) != before.sizes().slice(1)))
      refuse(batch_idx, name,
             fmt::format("is {}, which was {} {}", type_text(tensor), type_text(before), first));
  }
}

void Writer::add(int64_t batch_idx, int64_t samples, const Batch& answer) {
  const Fields fields = checked_fields(batch_idx, samples, answer);
  if (columns_.empty()) {
    static_cast<void>(fields_for(output_, fields));
    first_batch_ = batch_idx;
    for (const auto& [name, tensor] : fields) columns_.push_back({name, {}});
  } else {
    check_same(batch_idx, fields);
  }
  for (const auto& [name, tensor] : fields)
    std::ranges::find(columns_, name, &Column::name)->batches.push_back(tensor);
  rows_ += samples;
}

Fields Writer::all_rows() const {
  Fields all;
  for (const auto& [name, batches] : columns_) {
    if (!is_text(name, batches.front())) {
      all.emplace_back(name, torch::cat(batches));
      continue;
    }
    int64_t width = 0;
    for (const auto& text : batches) width = std::max(width, text.size(1));
    std::vector<torch::Tensor> padded;
    for (const auto& text : batches) padded.push_back(of_width(text, width));
    all.emplace_back(name, torch::cat(padded));
  }
  return all;
}

void Writer::write(const DataInfo& info) {
  if (columns_.empty()) throw RunError("there is nothing to write: the data had no sample");
  const Fields fields = fields_for(output_, all_rows());
  const torch::Tensor& only = fields.front().second;
  if (output_.format == Format::images) {
    write_images(output_, only);
  } else {
    support::write_file_atomically(output_.path, [&](std::ostream& out) {
      if (output_.format == Format::csv) write_csv(out, fields, info);
      if (output_.format == Format::npy) write_npy(out, only);
      if (output_.format == Format::text) write_text(out, only);
      if (output_.format == Format::safetensors) state::write_safetensors(out, fields, {});
    });
  }
  std::vector<std::string> names;
  for (const auto& [name, tensor] : fields) names.push_back(name);
  written_ = support::join(names);
}

std::string Writer::summary() const {
  return fmt::format("{}: {} of {}", output_.path.string(), support::counted(rows_, "row", "rows"), written_);
}

}  // namespace lightrun::predictions
