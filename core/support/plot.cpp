#include "support/plot.hpp"

#include "support/elide.hpp"
#include "support/quantity.hpp"

#include <algorithm>
#include <cmath>

namespace lightrun::support {
namespace {

/// Which line (0: the top) a value is on.
std::size_t line_of(double value, double least, double greatest, std::size_t height) {
  if (greatest == least) return height / 2;
  const double share = (greatest - value) / (greatest - least);
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(height - 1)));
}

}  // namespace

std::vector<std::string> plot(const std::vector<double>& values, std::size_t width, std::size_t height) {
  if (values.empty() || height == 0) return {};
  const auto [low, high] = std::ranges::minmax(values);
  const std::string top = value_text(high);
  const std::string bottom = low == high ? "" : value_text(low);
  const std::size_t scale = std::max(top.size(), bottom.size());
  const std::size_t columns = std::min(values.size(), width > scale + 3 ? width - scale - 3 : 1);
  std::vector<std::string> rows(height, std::string(columns, ' '));
  for (std::size_t i = 0; i < values.size(); ++i)
    rows[line_of(values[i], low, high, height)][i * columns / values.size()] = '*';
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < height; ++i) {
    const std::size_t labelled = low == high ? height / 2 : 0;
    const std::string label = i == labelled ? top : i + 1 == height ? bottom : "";
    std::string line = pad_left(label, scale) + " | " + rows[i];
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  lines.push_back(std::string(scale, ' ') + " +" + std::string(columns + 1, '-'));
  return lines;
}

}  // namespace lightrun::support
