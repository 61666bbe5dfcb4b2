#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lightrun::loggers {

/// How the values of a tensor are spread. Values that are not finite are in none of it.
struct Histogram {
  double min = 0;
  double max = 0;
  double num = 0;  ///< of values
  double sum = 0;
  double sum_squares = 0;
  /// The upper ends of the buckets, rising; bucket i has the values from limits[i - 1] to below limits[i].
  std::vector<double> limits = {};
  std::vector<double> counts = {};  ///< as many as limits
};

using Histograms = std::map<std::string, Histogram, std::less<>>;

/// The ends of all buckets, rising, as TensorFlow has them: 0, and to both sides 1e-12 * 1.1^k up to 1e20,
/// then the largest double there is (tensorflow/core/lib/histogram/histogram.cc, InitDefaultBucketsInner).
[[nodiscard]] const std::vector<double>& all_limits();

/// Puts into `histogram` what is in each bucket of all_limits(): empty ones at both ends are left out, runs
/// of empty ones between are one (ibid., EncodeToProto). The first bucket is an empty one, if any is, so that
/// the second has a lower end.
void set_buckets(Histogram& histogram, std::span<const int64_t> counts);

}  // namespace lightrun::loggers
