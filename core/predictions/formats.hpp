#pragma once

#include "predictions/fields.hpp"

#include <lightrun/data_info.hpp>

#include <ostream>

/// One file each: <name>.cpp. They take what fields_for() has let through.
namespace lightrun::predictions {

/// A line of names, then a line a row. A field [N] is a column of its name; [N, K] are K columns, "name.0"
/// and so on. Where the data has classes with names, a floating-point field with a number a class has columns
/// "name.setosa", and whole numbers called `prediction`, or as the data's own field of classes, are written
/// as names. A number has as few digits as give it back; not a number is `nan`, and `inf`, `-inf`.
void write_csv(std::ostream& out, const Fields& fields, const DataInfo& info);

/// Version 1 of numpy's format; BFloat16, which it has not, becomes float32.
void write_npy(std::ostream& out, const torch::Tensor& tensor);

/// The bytes of each row without the zeros at its end, and a newline. A line break in a row stays what it is.
void write_text(std::ostream& out, const torch::Tensor& bytes);

/// A PNG file a row, in the output's folder, which is made if it is not there. Numbers below 0 are 0, over 1
/// are 1. Throws RunError, and has written nothing, where one is there already and is not to be replaced.
void write_images(const Output& output, const torch::Tensor& images);

}  // namespace lightrun::predictions
