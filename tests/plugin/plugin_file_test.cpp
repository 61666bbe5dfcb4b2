#include "plugin/plugin_file.hpp"

#include "plugin/printable.hpp"
#include "plugin/test_files.hpp"
#include "support/catch.hpp"

#include <lightrun/plugin_note.hpp>

#include <torch/version.h>

#include <array>
#include <cstdint>

using namespace lightrun::test;
using lightrun::PluginNote;
using lightrun::plugin::PluginFile;
using lightrun::plugin::read_plugin_file;

namespace {

/// Where the first plugin note of a file begins.
std::size_t note_in(const std::string& bytes) {
  const std::size_t owner = bytes.find(std::string("lightrun\0\0\0\0", 12));
  REQUIRE(owner != std::string::npos);
  return owner - offsetof(PluginNote, owner);
}

/// Reads the plugin "good" with `value` over the note's bytes from `offset` on.
template <typename T>
PluginFile read_changed(std::size_t offset, const T& value) {
  const TempFolder folder;
  const std::string bytes = read_bytes(built("good"));
  return read_plugin_file(write_bytes(folder / "changed.so", patched(bytes, note_in(bytes) + offset, value)));
}

constexpr std::size_t kSdk = offsetof(PluginNote, sdk_version);
constexpr std::size_t kAbi = offsetof(PluginNote, cxx11_abi);
constexpr std::size_t kTorch = offsetof(PluginNote, torch_version);
constexpr std::size_t kName = offsetof(PluginNote, name);

std::string printed(std::string_view text) {
  return lightrun::plugin::printable({text.data(), text.size()});
}

}  // namespace

TEST_CASE("a plugin tells its model without being opened") {
  const PluginFile file = read_plugin_file(built("good"));
  CHECK_FALSE(file.refused);
  REQUIRE(file.offers.size() == 1);
  CHECK(file.offers[0].name == "good");
  CHECK(file.offers[0].help == "One linear layer");
  CHECK(file.torch_version == TORCH_VERSION);
  CHECK(contains(file.compiler, "g++ "));
}

TEST_CASE("a plugin built with another SDK, torch or string ABI is told which, and what lightrun has") {
  const std::string torch = TORCH_VERSION;
  CHECK(read_changed(kSdk, uint32_t{7}).refused ==
        "built with SDK version 7 (this lightrun has 3001); rebuild it against this lightrun");
  CHECK(read_changed(kTorch, std::array<char, 24>{"9.8.7"}).refused ==
        "built with torch 9.8.7 (this lightrun has " + torch + "); rebuild it against this lightrun");
  CHECK(read_changed(kAbi, uint32_t{1 - _GLIBCXX_USE_CXX11_ABI}).refused ==
        "built with string ABI _GLIBCXX_USE_CXX11_ABI=" + std::to_string(1 - _GLIBCXX_USE_CXX11_ABI) +
            " (this lightrun has _GLIBCXX_USE_CXX11_ABI=" + std::to_string(_GLIBCXX_USE_CXX11_ABI) +
            "); rebuild it against this lightrun");
}

TEST_CASE("an older minor SDK version is as good, a newer one and another major one are refused") {
  STATIC_REQUIRE(lightrun::kSdkVersion == 3001);
  CHECK_FALSE(read_changed(kSdk, uint32_t{3000}).refused);
  CHECK(read_changed(kSdk, uint32_t{3002}).refused ==
        "built with the newer SDK version 3002 (this lightrun has 3001); rebuild it against this lightrun");
  CHECK(read_changed(kSdk, uint32_t{2000}).refused ==
        "built with SDK version 2000 (this lightrun has 3001); rebuild it against this lightrun");
  CHECK(read_changed(kSdk, uint32_t{4000}).refused ==
        "built with SDK version 4000 (this lightrun has 3001); rebuild it against this lightrun");
}

TEST_CASE("a kind of offer that nobody knows is damage, or a newer SDK's") {
  constexpr std::size_t kType = offsetof(PluginNote, type);
  CHECK(contains(read_changed(kType, uint32_t{9}).refused.value_or(""), "damaged: its plugin note"));
  const std::string bytes = read_bytes(built("good"));
  const TempFolder folder;
  const std::size_t note = note_in(bytes);
  const std::string newer = patched(patched(bytes, note + kType, uint32_t{9}), note + kSdk, uint32_t{3002});
  CHECK(contains(read_plugin_file(write_bytes(folder / "newer.so", newer)).refused.value_or(""),
                 "the newer SDK version 3002"));
}

TEST_CASE("a library tells its sources and callbacks too, and may have no model") {
  const PluginFile file = read_plugin_file(built("no_model"));
  CHECK_FALSE(file.refused);
  CHECK(file.names(lightrun::PluginKind::model).empty());
  CHECK(file.names(lightrun::PluginKind::source) == std::vector<std::string>{"numbers"});
  CHECK(file.names(lightrun::PluginKind::callback) == std::vector<std::string>{"numbers"});
  CHECK(file.find(lightrun::PluginKind::source, "numbers")->help == "The first whole numbers");
}

TEST_CASE("all that differs is told in one sentence, the SDK first") {
  struct Facts {
    uint32_t sdk = 7;
    uint32_t abi = 5;
    std::array<char, 24> torch{"9.8.7"};
  };
  const std::string reason = read_changed(kSdk, Facts{}).refused.value_or("");
  CHECK(is_one_line(reason));
  CHECK(reason.find("SDK version 7") < reason.find("torch 9.8.7"));
  CHECK(reason.find("torch 9.8.7") < reason.find("CXX11_ABI=5"));
  CHECK(contains(reason, "CXX11_ABI=5"));
}

TEST_CASE("a refused plugin's models are known all the same") {
  const PluginFile file = read_changed(kSdk, uint32_t{7});
  REQUIRE(file.offers.size() == 1);
  CHECK(file.offers[0].name == "good");
  CHECK(contains(file.refusal(), "changed.so: built with SDK version 7"));
}

TEST_CASE("a note of another length is judged by its SDK version alone") {
  CHECK(read_plugin_file(built("future_sdk")).refused ==
        "built with SDK version 99 (this lightrun has 3001); rebuild it against this lightrun");
}

TEST_CASE("a shared library without a note is no plugin") {
  CHECK(contains(read_plugin_file(built("no_note")).refused.value_or(""), "no lightrun plugin"));
}

TEST_CASE("a name that fills its whole field is cut there") {
  std::array<char, 64> name{};
  name.fill('n');
  const PluginFile file = read_changed(kName, name);
  REQUIRE(file.offers.size() == 1);
  CHECK(file.offers[0].name == std::string(64, 'n'));
}

TEST_CASE("a model without a name, and two models with one, are refused") {
  CHECK(contains(read_changed(kName, std::array<char, 64>{}).refused.value_or(""), "no name"));

  const TempFolder folder;
  const std::string bytes = read_bytes(built("two"));
  const std::size_t first = note_in(bytes) + kName;
  const auto name = value_at<std::array<char, 64>>(bytes, first);
  const std::string same = patched(bytes, first + sizeof(PluginNote), name);
  const PluginFile file = read_plugin_file(write_bytes(folder / "same.so", same));
  CHECK(contains(file.refused.value_or(""), "two models called 'two_"));
}

TEST_CASE("texts of a file cannot drive the terminal") {
  CHECK(printed("plain") == "plain");
  CHECK(printed(std::string_view("up to\0here", 10)) == "up to");
  CHECK(printed("a\x1b[31mb\nc\x7f") == "a?[31mb?c?");
  CHECK(printed("Netz f\u00fcr Ziffern, \u6570\u5b57") == "Netz f\u00fcr Ziffern, \u6570\u5b57");
  CHECK(printed("a\u009bb\u202ec\u2067d") == "a?b?c?d");
  CHECK(printed("a\xff"
                "b\xc3") == "a?b?");
}
