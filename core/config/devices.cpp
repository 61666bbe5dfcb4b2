#include "config/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace lightrun::config {

namespace {

constexpr std::string_view kCuda = "cuda:";
constexpr const char* kOneDevice = "cpu, cuda, cuda:N or auto";
constexpr const char* kDevices = "cpu, cuda, cuda:N, auto, a count, or a list of devices";
constexpr const char* kSeveral = "training on several devices is not there yet; give one";
constexpr int64_t kMostDevices = 4096;

std::optional<std::string> cuda_device(std::string_view index) {
  int number = 0;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), number);
  if (error != std::errc() || end != index.data() + index.size() || number < 0) return std::nullopt;
  if (std::to_string(number) != index) return std::nullopt;  // cuda:01
  return fmt::format("{}{}", kCuda, number);
}

std::optional<std::string> named_device(std::string_view name) {
  if (name == "cpu" || name == "auto") return std::string(name);
  if (name == "cuda") return "cuda:0";
  if (!name.starts_with(kCuda)) return std::nullopt;
  return cuda_device(name.substr(kCuda.size()));
}

using Devices = std::optional<std::vector<std::string>>;

Devices from_scalar(const Value& value, const Report& report) {
  if (auto device = named_device(value.text)) return std::vector{*device};
  const auto count = parse_int(value.text);  // "2" is the count 2, too
  if (!count.value) {
    report(value.mark,
           expected(kDevices, value) + (count.error.empty() ? "" : fmt::format(": {}", count.error)));
    return std::nullopt;
  }
  if (*count.value == -1) return std::vector<std::string>{"auto"};
  if (*count.value >= 1 && *count.value <= kMostDevices) {
    return std::vector<std::string>(static_cast<std::size_t>(*count.value), "auto");
  }
  report(value.mark, fmt::format("a number of devices must be >= 1 (or -1, as auto), got {}", value.text));
  return std::nullopt;
}

Devices from_list(const Value& value, const Report& report) {
  if (value.items.empty()) {
    report(value.mark, "an empty list: give at least one device");
    return std::nullopt;
  }
  std::vector<std::string> devices;
  std::set<std::string> gpus;
  for (const Value& item : value.items) {
    auto device = item.kind == Value::Kind::scalar ? named_device(item.text) : std::nullopt;
    if (!device && item.kind == Value::Kind::scalar) device = cuda_device(item.text);
    if (!device) {
      report(item.mark, expected(fmt::format("{}, or a GPU's index", kOneDevice), item));
      return std::nullopt;
    }
    if (device->starts_with(kCuda) && !gpus.insert(*device).second) {
      report(item.mark, fmt::format("{} is given twice", *device));
      return std::nullopt;
    }
    devices.push_back(*device);
  }
  return devices;
}

Devices read_devices(const Value& value, const Report& report) {
  Devices devices;
  if (value.kind == Value::Kind::scalar) {
    devices = from_scalar(value, report);
  } else if (value.kind == Value::Kind::list) {
    devices = from_list(value, report);
  } else {
    report(value.mark, expected(kDevices, value));
  }
  if (!devices || devices->size() == 1) return devices;
  report(value.mark, kSeveral);
  return std::nullopt;
}

}  // namespace

Codec<std::vector<std::string>> devices() {
  return {kDevices,
          "",
          read_devices,
          [](const std::vector<std::string>& devices) {
            std::vector<Value> items;
            items.reserve(devices.size());
            for (const std::string& device : devices) items.push_back(Value::string(device));
            return Value::list(std::move(items));
          },
          false,
          R"({"type":["array","string","integer"]})"};
}

}  // namespace lightrun::config
