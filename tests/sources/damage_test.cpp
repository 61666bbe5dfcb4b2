// Files that are cut off or changed anywhere: an error or a dataset comes out, never a crash.

#include "sources/array_bytes.hpp"
#include "sources/image_files.hpp"
#include "sources/opened.hpp"
#include "state/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <spdlog/fmt/fmt.h>
#include <cstdint>

#include <random>
#include <sstream>
#include <string>

using namespace lightrun;
using namespace lightrun::tests;

namespace {

/// Opens `path` with these bytes in it and reads all samples; only an Error, or a WrongSetting, may come out.
template <typename Spec>
void try_bytes(const std::string& path, const std::string& bytes, const Spec& spec) {
  write_file(path, bytes);
  try {
    static_cast<void>(all_of(*opened(spec)));
  } catch (const Error& error) {
    REQUIRE_FALSE(std::string(error.what()).empty());
  } catch (const sources::WrongSetting& wrong) {
    REQUIRE_FALSE(std::string(wrong.what()).empty());
  }
}

/// Every prefix of `bytes`, and 300 changes of up to three bytes each.
template <typename Spec>
void damage(const std::string& path, const std::string& bytes, const Spec& spec) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO("cut off at " << size << " of " << bytes.size());
    try_bytes(path, bytes.substr(0, size), spec);
  }
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string changed = bytes;
    std::string places;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % changed.size();
      changed[at] = static_cast<char>(random() % 256);
      places += fmt::format(" {}={}", at, static_cast<unsigned char>(changed[at]));
    }
    INFO("bytes changed:" << places);
    try_bytes(path, changed, spec);
  }
}

struct Place {
  TemporaryFolder folder;
  std::string path = (folder / "file").string();
};

}  // namespace

TEST_CASE("damaged: npy") {
  const Place place;
  const config::NpySource spec = {.fields = {{"x", place.path}}};
  const std::string data = bytes_of(Floats{1, 2, 3, 4, 5, 6});
  damage(place.path, npy_bytes(npy_header("<f4", "(2, 3)"), data), spec);
  damage(place.path, npy_bytes(npy_header("<f4", "(2, 3)", true), data, 2), spec);
}

TEST_CASE("damaged: idx, plain and gz") {
  const Place place;
  const config::IdxSource spec = {.images = place.path};
  const std::string bytes = idx_bytes({2, 3, 4}, std::string(24, 'x'));
  damage(place.path, bytes, spec);
  damage(place.path, gzipped(bytes, place.path), spec);
}

TEST_CASE("damaged: cifar") {
  const Place place;
  damage(place.path, cifar_row({3}), config::CifarSource{.paths = {place.path}});
}

TEST_CASE("damaged: safetensors") {
  const Place place;
  const auto x = torch::arange(6).view({2, 3});
  for (const auto checksum : {state::Checksum::none, state::Checksum::crc32c}) {
    std::ostringstream bytes;
    state::write_safetensors(bytes, {{"x", x}, {"y", x.to(torch::kFloat32)}}, {}, checksum);
    damage(place.path, bytes.str(), config::SafetensorsSource{.path = place.path});
  }
}

TEST_CASE("damaged: images") {
  const TemporaryFolder folder;
  const std::string path = (folder / "a/1.png").string();
  const config::ImageFolderSource spec = {.path = folder.path().string()};
  write_plain_png(path, {200, 10, 30}, 12, 9);
  damage(path, read_file(path), spec);
  write_plain_jpeg(path, {200, 10, 30}, 12, 9);
  damage(path, read_file(path), spec);
}

TEST_CASE("damaged: csv and text") {
  const Place place;
  const std::string table =
      "\xef\xbb\xbf"
      "name,x,y\r\n\"a, b\",1,2\r\n\r\n\"c\"\"d\",3,4\r\ne,5,\r\n";
  config::CsvSource csv = {.path = place.path, .target = {"x"}};
  csv.missing = config::MissingValue::mean;
  damage(place.path, table, csv);
  damage(place.path, "some t\xc3\xa9xt of \xe2\x82\xac",
         config::TextSource{.path = place.path, .sequence_length = 2});
}
