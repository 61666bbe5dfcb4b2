// text and synthetic: sequences of tokens, and samples to try a model with.

#include "sources/opened.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <cstdint>
#include <optional>
#include <string>

using namespace lightrun;
using namespace lightrun::tests;

namespace {

class TextFile {
 public:
  explicit TextFile(const std::string& text) { write_file(folder_ / "a.txt", text); }
  [[nodiscard]] config::TextSource spec(int64_t length, std::optional<int64_t> stride = {}) const {
    return {.path = (folder_ / "a.txt").string(), .sequence_length = length, .stride = stride};
  }
  [[nodiscard]] config::TextSource bytes(int64_t length) const {
    auto of_bytes = spec(length);
    of_bytes.unit = config::TextUnit::bytes;
    return of_bytes;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("characters are tokens by their order from 1, the target is the same one later") {
  const TextFile text(
      "abc\xc3\xa9"
      "bca");  // abcébca
  const auto data = opened(text.spec(3));
  const Batch all = all_of(*data);
  CHECK(data->size() == 2);
  CHECK(numbers_of<int64_t>(all["tokens"]) == Whole{1, 2, 3, 4, 2, 3});
  CHECK(numbers_of<int64_t>(all["target"]) == Whole{2, 3, 4, 2, 3, 1});
  CHECK(data->describe().at("tokens").labels == Texts{"\xef\xbf\xbd", "a", "b", "c", "\xc3\xa9"});
  CHECK(data->describe().at("target").classes == 5);
}

TEST_CASE("a byte order mark is no character, but three bytes") {
  const TextFile text(
      "\xef\xbb\xbf"
      "abab");
  CHECK(numbers_of<int64_t>(all_of(*opened(text.spec(3)))["tokens"]) == Whole{1, 2, 1});
  CHECK(numbers_of<int64_t>(all_of(*opened(text.bytes(4)))["tokens"]) == Whole{0xef, 0xbb, 0xbf, 'a'});
}

TEST_CASE("sequences begin a stride apart, and a rest that is too short is left out") {
  const TextFile text("abcdef");
  CHECK(opened(text.spec(2, 1))->size() == 4);
  CHECK(opened(text.spec(2, 2))->size() == 2);
  CHECK(opened(text.spec(2, 3))->size() == 2);
  CHECK(numbers_of<int64_t>(all_of(*opened(text.spec(2, 3)))["tokens"]) == Whole{1, 2, 4, 5});
  CHECK(opened(text.spec(5))->size() == 1);
}

TEST_CASE("bytes are tokens of any file") {
  const TextFile text(std::string("\xff\0a\x80", 4));
  const auto data = opened(text.bytes(3));
  CHECK(numbers_of<int64_t>(all_of(*data)["tokens"]) == Whole{255, 0, 97});
  CHECK(numbers_of<int64_t>(all_of(*data)["target"]) == Whole{0, 97, 128});
  CHECK(data->describe().at("tokens").classes == 256);
  CHECK(data->describe().at("tokens").labels[97] == "a");
  CHECK(data->describe().at("tokens").labels[0] == "\\x00");
  CHECK(fault_of(text.spec(3)).find(": byte 0 is not UTF-8; `unit: bytes` takes any file") !=
        std::string::npos);
}

TEST_CASE("a character that the training part does not have is token 0") {
  const TextFile text("ababzz");
  auto data = config_data("train: {source: text, path: " + text.spec(1).path +
                          ", sequence_length: 1}\n  val: {split: 0.4}");
  const auto val = data.open(Part::val).dataset;
  CHECK(data.info().at("tokens").classes == 3);
  CHECK(numbers_of<int64_t>(all_of(*data.open(Part::train).dataset)["tokens"]) == Whole{1, 2, 1});
  CHECK(numbers_of<int64_t>(all_of(*val)["tokens"]) == Whole{2, 0});
}

TEST_CASE("the last target of the training part counts, U+FFFD is token 0, and other names change no split") {
  const TextFile text("aabzz");
  auto data = config_data("train: {source: text, path: " + text.spec(1).path +
                          ", sequence_length: 1, rename: {tokens: x}}\n  val: {split: 0.5}");
  CHECK(data.info().at("x").labels == Texts{"\xef\xbf\xbd", "a", "b"});
  CHECK(numbers_of<int64_t>(all_of(*data.open(Part::val).dataset)["x"]) == Whole{2, 0});
  const TextFile unknown(
      "a\xef\xbf\xbd"
      "b");
  const auto of_unknown = opened(unknown.spec(2));
  CHECK(of_unknown->is_concurrent());
  CHECK(of_unknown->describe().at("tokens").labels == Texts{"\xef\xbf\xbd", "a", "b"});
  CHECK(numbers_of<int64_t>(all_of(*of_unknown)["tokens"]) == Whole{1, 0});
}

TEST_CASE("a text too short for one sequence is refused") {
  const TextFile text("abc");
  CHECK(fault_of(text.spec(2)) == "");
  for (const int64_t length : {int64_t{3}, INT64_MAX}) {
    CHECK(fault_of(text.spec(length)) == text.spec(1).path +
                                             " of 3 tokens is too short for one sequence of " +
                                             std::to_string(length) + " and the token after it");
  }
  CHECK(fault_of(TextFile("").spec(1)).find("of 0 tokens is too short") != std::string::npos);
  CHECK(fault_of(config::TextSource{.path = "nowhere"}) == "nowhere: there is no such file");
}

TEST_CASE("synthetic samples follow from their seed") {
  config::SyntheticSource spec = {.samples = 50, .features = 3, .classes = 4};
  const Batch all = all_of(*opened(spec));
  CHECK(all["features"].sizes() == torch::IntArrayRef({50, 3}));
  CHECK(all["target"].min().item<int64_t>() == 0);
  CHECK(all["target"].max().item<int64_t>() == 3);
  CHECK(opened(spec)->describe().at("target").classes == 4);
  CHECK(all_of(*opened(spec))["features"].equal(all["features"]));
  spec.seed = 1;
  CHECK_FALSE(all_of(*opened(spec))["features"].equal(all["features"]));
}

TEST_CASE("without noise a synthetic regression is a linear function") {
  const config::SyntheticSource spec = {
      .task = config::SyntheticTask::regression, .samples = 20, .features = 3, .noise = 0};
  const Batch all = all_of(*opened(spec));
  CHECK(all["target"].sizes() == torch::IntArrayRef({20, 1}));
  const auto weights = all["features"].pinverse().mm(all["target"]);
  CHECK(all["features"].mm(weights).allclose(all["target"], 1e-3, 1e-4));
  CHECK(opened(spec)->describe().at("target").classes == 0);
}
