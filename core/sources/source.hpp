#pragma once

#include "config/data_spec.hpp"

#include <lightrun/data.hpp>
#include <lightrun/error.hpp>
#include <lightrun/state_dict.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

/// Data that the config names: files of known formats, plugins' own sources.
namespace lightrun::sources {

/// An open source of samples, before it is known which of them train.
class Source {
 public:
  virtual ~Source() = default;

  /// Number of samples; nullopt: a stream.
  [[nodiscard]] virtual std::optional<int64_t> size() const = 0;

  /// Learns from the samples at `rows`, which train, what all are encoded with: the categories of a column,
  /// the characters of a text. Puts it into `learned`, under names that begin with the source's own ("csv.").
  /// Default: nothing. Throws RunError where the data cannot be used.
  virtual void learn(std::span<const int64_t> /*rows*/, StateDict& /*learned*/) const {}

  /// Its samples, encoded as `learned` says. Throws RunError, with path and row, where a sample cannot be
  /// encoded.
  [[nodiscard]] virtual DataLoader open(const StateDict& learned) const = 0;

  /// Whether neighbouring samples belong together, so that a part to hold out is taken from the end.
  [[nodiscard]] virtual bool is_sequential() const { return false; }
};

/// A setting of a source does not fit its files: no such file, no such column. ConfigData makes a ConfigError
/// of it, with the setting's place.
class WrongSetting : public std::runtime_error {
 public:
  WrongSetting(std::string setting, const std::string& text)
      : std::runtime_error(text), setting_(std::move(setting)) {}
  /// "path"; "fields.image".
  [[nodiscard]] const std::string& setting() const { return setting_; }

 private:
  std::string setting_;
};

/// A sample is of a class that no sample of the training data has.
class UnknownClass : public RunError {
 public:
  using RunError::RunError;
};

/// Samples that need nothing to be learned.
class PlainSource : public Source {
 public:
  explicit PlainSource(DataLoader data) : data_(std::move(data)) {}
  [[nodiscard]] std::optional<int64_t> size() const override {
    return data_.dataset ? std::optional(data_.dataset->size()) : std::nullopt;
  }
  [[nodiscard]] DataLoader open(const StateDict& /*learned*/) const override { return data_; }

 private:
  DataLoader data_;
};

// One file each: <name>.cpp. They throw WrongSetting, and RunError, with path and position, where a file is
// damaged.

[[nodiscard]] std::unique_ptr<Source> open_source(const config::CsvSource& spec);
[[nodiscard]] std::unique_ptr<Source> open_source(const config::NpySource& spec);
[[nodiscard]] std::unique_ptr<Source> open_source(const config::IdxSource& spec);
[[nodiscard]] std::unique_ptr<Source> open_source(const config::CifarSource& spec);
[[nodiscard]] std::unique_ptr<Source> open_source(const config::ImageFolderSource& spec);
[[nodiscard]] std::unique_ptr<Source> open_source(const config::TextSource& spec);
[[nodiscard]] std::unique_ptr<Source> open_source(const config::SyntheticSource& spec);
[[nodiscard]] std::unique_ptr<Source> open_source(const config::SafetensorsSource& spec);

/// Opens a plugin's source.
using OpenPlugin = std::function<std::unique_ptr<Source>(const config::PluginSource&)>;

/// Opens whatever the config says, its fields renamed.
[[nodiscard]] std::unique_ptr<Source> open_source(const config::SourceSpec& spec,
                                                  const OpenPlugin& open_plugin);

}  // namespace lightrun::sources
