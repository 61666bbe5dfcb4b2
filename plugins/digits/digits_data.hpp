#pragma once

#include <torch/types.h>

#include <string>

namespace digits {

/// Images [N, 1, 8, 8], float32 in [0, 1], and the digit each one shows: labels [N], int64 in [0, 9].
struct Part {
  torch::Tensor images;
  torch::Tensor labels;
};

struct Data {
  Part train;
  Part validation;
  Part test;
};

/// Reads digits.bin; DATA.md describes it. Throws lightrun::RunError, naming the path and what is wrong with
/// it.
[[nodiscard]] Data read_data(const std::string& path);

}  // namespace digits
