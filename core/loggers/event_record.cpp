#include "loggers/event_record.hpp"

#include "support/crc32c.hpp"

#include <tensorboard.pb.h>

#include <bit>
#include <cstring>
#include <istream>
#include <optional>

namespace lightrun::loggers {
namespace {

namespace tb = ::lightrun::tensorboard;

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr const char* kVersion = "brain.Event:2";
constexpr const char* kWriter = "lightrun";
constexpr std::size_t kHeadBytes = sizeof(uint64_t) + sizeof(uint32_t);
constexpr uint64_t kLongestEvent = uint64_t(1) << 30;

template <typename Number>
void append_number(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
[[nodiscard]] Number number_in(std::string_view bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

[[nodiscard]] std::string record_of(const tb::Event& event) {
  const std::string data = event.SerializeAsString();
  std::string record;
  append_number(record, static_cast<uint64_t>(data.size()));
  append_number(record, support::masked_crc32c(record));
  record += data;
  append_number(record, support::masked_crc32c(data));
  return record;
}

/// The bytes of the event that comes next; nothing where no whole record does, of `limit` bytes at most.
[[nodiscard]] std::optional<std::string> take_event(std::istream& stream, int64_t limit) {
  std::string head(kHeadBytes, '\0');
  if (limit < std::ssize(head) || !stream.read(head.data(), std::ssize(head))) return std::nullopt;
  const std::string_view length_bytes = std::string_view(head).substr(0, sizeof(uint64_t));
  const auto length = number_in<uint64_t>(length_bytes);
  const auto crc = number_in<uint32_t>(std::string_view(head).substr(sizeof(uint64_t)));
  if (crc != support::masked_crc32c(length_bytes) || length > kLongestEvent) return std::nullopt;
  std::string data(length + sizeof(uint32_t), '\0');
  if (limit - std::ssize(head) < std::ssize(data) || !stream.read(data.data(), std::ssize(data)))
    return std::nullopt;
  const auto data_crc = number_in<uint32_t>(std::string_view(data).substr(length));
  data.resize(length);
  return data_crc == support::masked_crc32c(data) ? std::optional(std::move(data)) : std::nullopt;
}

[[nodiscard]] tb::Event event_at(double wall_time, int64_t step) {
  tb::Event event;
  event.set_wall_time(wall_time);
  event.set_step(step);
  return event;
}

}  // namespace

std::string version_record(double wall_time) {
  tb::Event event = event_at(wall_time, 0);
  event.set_file_version(kVersion);
  return record_of(event);
}

std::string start_record(double wall_time, int64_t step) {
  tb::Event event = event_at(wall_time, step);
  event.mutable_session_log()->set_status(tb::SessionLog::START);
  event.mutable_source_metadata()->set_writer(kWriter);
  return record_of(event);
}

std::string scalars_record(double wall_time, int64_t step, const Logger::Metrics& metrics) {
  tb::Event event = event_at(wall_time, step);
  for (const auto& [name, number] : metrics) {
    tb::Summary::Value& value = *event.mutable_summary()->add_value();
    value.set_tag(name);
    value.set_simple_value(static_cast<float>(number));
  }
  return record_of(event);
}

std::string histograms_record(double wall_time, int64_t step, const Histograms& histograms) {
  tb::Event event = event_at(wall_time, step);
  for (const auto& [name, histogram] : histograms) {
    tb::Summary::Value& value = *event.mutable_summary()->add_value();
    value.set_tag(name);
    tb::HistogramProto& histo = *value.mutable_histo();
    histo.set_min(histogram.min);
    histo.set_max(histogram.max);
    histo.set_num(histogram.num);
    histo.set_sum(histogram.sum);
    histo.set_sum_squares(histogram.sum_squares);
    histo.mutable_bucket_limit()->Add(histogram.limits.begin(), histogram.limits.end());
    histo.mutable_bucket()->Add(histogram.counts.begin(), histogram.counts.end());
  }
  return record_of(event);
}

std::string text_record(double wall_time, int64_t step, const std::string& tag, const std::string& markdown) {
  constexpr int32_t kTensorClass = 2;
  constexpr int32_t kTextType = 7;
  tb::Event event = event_at(wall_time, step);
  tb::Summary::Value& value = *event.mutable_summary()->add_value();
  value.set_tag(tag);
  value.mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
  value.mutable_metadata()->set_data_class(kTensorClass);
  value.mutable_tensor()->set_dtype(kTextType);
  value.mutable_tensor()->mutable_tensor_shape();  // of one text: without dimensions
  value.mutable_tensor()->add_string_val(markdown);
  return record_of(event);
}

int64_t whole_records_end(std::istream& stream, int64_t limit) {
  int64_t end = 0;
  while (const auto event = take_event(stream, limit - end))
    end += static_cast<int64_t>(kHeadBytes + event->size() + sizeof(uint32_t));
  return end;
}

bool begins_like_ours(std::istream& stream) {
  const auto first = take_event(stream, static_cast<int64_t>(kLongestEvent));
  const auto second = take_event(stream, static_cast<int64_t>(kLongestEvent));
  tb::Event event;
  if (!first || !event.ParseFromString(*first) || event.file_version() != kVersion) return false;
  return second && event.ParseFromString(*second) && event.source_metadata().writer() == kWriter;
}

}  // namespace lightrun::loggers
