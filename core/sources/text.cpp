#include "support/text.hpp"
#include "data/rows.hpp"
#include "sources/check_path.hpp"
#include "sources/mapped_file.hpp"
#include "sources/source.hpp"

#include <lightrun/error.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace lightrun::sources {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kMark = "\xef\xbb\xbf";  // a byte order mark, which is no character of the text
constexpr const char* kVocabulary = "text.vocabulary";
constexpr const char* kUnknown = "\xef\xbf\xbd";  // U+FFFD, token 0 of a vocabulary of characters

/// The characters of valid UTF-8.
std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
    characters.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return characters;
}

/// A byte as a text: itself, or its number where it is no printable ASCII.
Words byte_names() {
  Words names;
  for (int byte = 0; byte < 256; ++byte)
    names.push_back(byte >= 0x20 && byte < 0x7f ? std::string(1, static_cast<char>(byte))
                                                : fmt::format("\\x{:02x}", byte));
  return names;
}

/// Overlapping windows of one row of tokens.
class Sequences : public Dataset {
 public:
  Sequences(torch::Tensor tokens, int64_t size, int64_t length, int64_t stride, Words vocabulary)
      : windows_(tokens.as_strided({size, length + 1}, {stride, 1})), vocabulary_(std::move(vocabulary)) {}
  [[nodiscard]] int64_t size() const override { return windows_.size(0); }
  [[nodiscard]] bool is_concurrent() const override { return true; }
  [[nodiscard]] Batch get(std::span<const int64_t> indices) override {
    const auto windows = data::rows_of(windows_, indices).to(torch::kInt64);
    const int64_t length = windows.size(1) - 1;
    return {{"tokens", windows.narrow(1, 0, length)}, {"target", windows.narrow(1, 1, length)}};
  }
  [[nodiscard]] DataInfo describe() override {
    DataInfo info = Dataset::describe();
    for (FieldInfo& field : info.fields) {
      field.classes = static_cast<int64_t>(vocabulary_.size());
      field.labels = vocabulary_;
    }
    return info;
  }

 private:
  torch::Tensor windows_;
  Words vocabulary_;
};

class Text : public Source {
 public:
  explicit Text(const config::TextSource& spec)
      : spec_(spec), file_(spec.path), stride_(spec.stride.value_or(spec.sequence_length)) {
    const auto bytes = file_.bytes();
    text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    if (spec.unit == config::TextUnit::characters) {
      if (const auto at = support::invalid_utf8(text_)) {
        throw RunError(fmt::format("{}: byte {} is not UTF-8; `unit: bytes` takes any file", spec.path, *at));
      }
      if (text_.starts_with(kMark)) text_.remove_prefix(kMark.size());
      characters_ = characters_of(text_);
    }
    if (tokens() <= spec.sequence_length) {
      throw WrongSetting(
          "sequence_length",
          fmt::format("{} of {} tokens is too short for one sequence of {} and the token after it", spec.path,
                      tokens(), spec.sequence_length));
    }
  }

  [[nodiscard]] std::optional<int64_t> size() const override {
    return (tokens() - spec_.sequence_length - 1) / stride_ + 1;
  }
  [[nodiscard]] bool is_sequential() const override { return true; }

  void learn(std::span<const int64_t> rows, StateDict& learned) const override {
    if (spec_.unit == config::TextUnit::bytes) return;
    std::set<std::string_view> seen;
    for (const int64_t row : rows) {
      const auto begin = static_cast<std::size_t>(row * stride_);
      for (std::size_t i = begin; i <= begin + static_cast<std::size_t>(spec_.sequence_length); ++i)
        seen.insert(characters_[i]);
    }
    Words vocabulary = {kUnknown};
    for (const std::string_view character : seen)
      if (character != kUnknown) vocabulary.emplace_back(character);
    learned.set(kVocabulary, std::move(vocabulary));
  }

  [[nodiscard]] DataLoader open(const StateDict& learned) const override {
    const bool has_bytes = spec_.unit == config::TextUnit::bytes;
    Words vocabulary = has_bytes ? byte_names() : learned.get<Words>(kVocabulary);
    const auto tokens = has_bytes ? byte_tokens() : character_tokens(vocabulary);
    return {
        std::make_shared<Sequences>(tokens, *size(), spec_.sequence_length, stride_, std::move(vocabulary))};
  }

 private:
  [[nodiscard]] int64_t tokens() const {
    return static_cast<int64_t>(spec_.unit == config::TextUnit::bytes ? text_.size() : characters_.size());
  }

  [[nodiscard]] torch::Tensor byte_tokens() const {
    return torch::from_blob(const_cast<char*>(text_.data()), {tokens()}, torch::kUInt8).clone();
  }

  [[nodiscard]] torch::Tensor character_tokens(const Words& vocabulary) const {
    std::map<std::string_view, int32_t> numbers;
    for (std::size_t i = 0; i < vocabulary.size(); ++i)
      numbers.emplace(vocabulary[i], static_cast<int32_t>(i));
    const auto result = torch::empty({tokens()}, torch::kInt32);
    auto* to = result.data_ptr<int32_t>();
    for (const std::string_view character : characters_) {
      const auto number = numbers.find(character);
      *to++ = number == numbers.end() ? 0 : number->second;
    }
    return result;
  }

  config::TextSource spec_;
  MappedFile file_;
  int64_t stride_;
  std::string_view text_;
  std::vector<std::string_view> characters_;
};

}  // namespace

std::unique_ptr<Source> open_source(const config::TextSource& spec) {
  check_file("path", spec.path);
  return std::make_unique<Text>(spec);
}

}  // namespace lightrun::sources
