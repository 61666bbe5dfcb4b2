#pragma once

#include "loggers/histogram.hpp"
#include "loggers/logger.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

/// The records of TensorBoard's event files: u64 length, u32 masked CRC-32C of the 8 length bytes, that many
/// bytes of an Event (tensorboard.proto), u32 masked CRC-32C of those; all little-endian
/// (tensorboard/summary/writer/record_writer.py). `wall_time` is in seconds since 1970.
namespace lightrun::loggers {

/// The first of every file.
[[nodiscard]] std::string version_record(double wall_time);

/// Says that a process begins to write, and that what an earlier one wrote of `step` and later is void. It
/// names lightrun as the writer.
[[nodiscard]] std::string start_record(double wall_time, int64_t step);

/// A value for each metric. TensorBoard's scalars are of 32 bits, in whatever form they are written.
[[nodiscard]] std::string scalars_record(double wall_time, int64_t step, const Logger::Metrics& metrics);

[[nodiscard]] std::string histograms_record(double wall_time, int64_t step, const Histograms& histograms);

/// A text in Markdown.
[[nodiscard]] std::string text_record(double wall_time, int64_t step, const std::string& tag,
                                      const std::string& markdown);

/// Where the records at the beginning of `stream` end that are whole: at `limit` bytes at most.
[[nodiscard]] int64_t whole_records_end(std::istream& stream, int64_t limit);

/// Whether `stream` begins with version_record() and start_record().
[[nodiscard]] bool begins_like_ours(std::istream& stream);

}  // namespace lightrun::loggers
