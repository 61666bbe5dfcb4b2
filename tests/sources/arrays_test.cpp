// npy, idx, cifar and safetensors: arrays in files.

#include "sources/array_bytes.hpp"
#include "sources/opened.hpp"
#include "state/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

using namespace lightrun;
using namespace lightrun::tests;

namespace {

/// What opening this one .npy file throws, without its path.
std::string npy_fault(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.npy").string();
  write_file(path, bytes);
  std::string text = fault_of(config::NpySource{.fields = {{"x", path}}});
  if (text.starts_with(path)) text.erase(0, path.size());
  return text;
}

/// The field of this one .npy file.
torch::Tensor npy_field(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.npy").string();
  write_file(path, bytes);
  return all_of(*opened(config::NpySource{.fields = {{"x", path}}}))["x"];
}

template <typename T>
torch::Tensor npy_field(const std::string& type, const std::vector<T>& values) {
  return npy_field(npy_bytes(npy_header(type, "(" + std::to_string(values.size()) + ",)"), bytes_of(values)));
}

const std::string kSix = bytes_of(Floats{0, 1, 2, 3, 4, 5});

}  // namespace

TEST_CASE("npy: floating-point numbers become float32, whole ones stay what they are") {
  CHECK(npy_field<float>("<f4", {1.5, -2}).equal(torch::tensor({1.5F, -2.F})));
  CHECK(npy_field<double>("<f8", {1.5, -2}).equal(torch::tensor({1.5F, -2.F})));
  CHECK(npy_field<uint16_t>("<f2", {0x3c00, 0xc000}).equal(torch::tensor({1.F, -2.F})));
  CHECK(npy_field<int64_t>("<i8", {1, -2}).equal(torch::tensor({1, -2}, torch::kInt64)));
  CHECK(npy_field<int32_t>("<i4", {1, -2}).equal(torch::tensor({1, -2}, torch::kInt32)));
  CHECK(npy_field<int16_t>("<i2", {1, -2}).equal(torch::tensor({1, -2}, torch::kInt16)));
  CHECK(npy_field<uint8_t>("|u1", {1, 255}).equal(torch::tensor({1, 255}, torch::kUInt8)));
  CHECK(npy_field<int8_t>("|i1", {1, -2}).equal(torch::tensor({1, -2}, torch::kInt8)));
  CHECK(npy_field<uint8_t>("|b1", {1, 0}).equal(torch::tensor({true, false})));
}

TEST_CASE("whole numbers from 0 on are classes, others are not") {
  const auto classes_of = [](const torch::Tensor& field) {
    return TensorDataset(Batch{{"target", field}}).describe().at("target").classes;
  };
  CHECK(classes_of(torch::tensor({2, 0, 1})) == 3);
  CHECK(classes_of(torch::tensor({2, -1})) == 0);
  CHECK(classes_of(torch::tensor({2.F, 0.F})) == 0);
  CHECK(classes_of(torch::tensor({{1, 2}, {0, 1}})) == 0);
}

TEST_CASE("npy: both orders of a matrix, and all versions of the format") {
  const auto rows = torch::tensor({{0.F, 1.F, 2.F}, {3.F, 4.F, 5.F}});
  for (const char version : {'\1', '\2', '\3'})
    CHECK(npy_field(npy_bytes(npy_header("<f4", "(2, 3)"), kSix, version)).equal(rows));
  CHECK(npy_field(npy_bytes(npy_header("<f4", "(3, 2)", /*is_fortran=*/true), kSix)).equal(rows.t()));
}

TEST_CASE("npy: what LibTorch has no numbers for, and damage, are refused in words") {
  CHECK(npy_fault(npy_bytes(npy_header(">f4", "(6,)"), kSix)) ==
        ": holds numbers of type '>f4', which LibTorch has not; in Python: numpy.save(path, "
        "array.astype('float32'))");
  CHECK(npy_fault(npy_bytes(npy_header("|O", "(6,)"), kSix)) ==
        ": holds Python objects, not numbers; in Python, make an array of numbers of them");
  CHECK(npy_fault(npy_bytes(npy_header("<u8", "(3,)"), kSix)).ends_with("array.astype('int64'))"));
  CHECK(npy_fault(npy_bytes("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", kSix)) ==
        ": holds structures, not plain numbers; save each of its fields by itself");
  const std::string whole = npy_bytes(npy_header("<f4", "(6,)"), kSix);
  CHECK(npy_fault(whole.substr(0, whole.size() - 1)) ==
        ": holds 23 bytes of numbers, but its header says 24; it is truncated or damaged");
  CHECK(npy_fault(whole + "x").starts_with(": holds 25 bytes of numbers"));
  CHECK(npy_fault(whole.substr(0, 40)) == ": is truncated");
  CHECK(npy_fault("PK\x03\x04 a .npz is a zip") == ": is no .npy file");
  CHECK(npy_fault("") == ": is no .npy file");
  CHECK(npy_fault(npy_bytes(npy_header("<f4", "(6,)"), kSix, 4)) ==
        ": is of version 4 of the format, not 1 to 3");
  CHECK(npy_fault(npy_bytes(npy_header("<f4", "(-6,)"), kSix)) == ": its shape is damaged");
  CHECK(npy_fault(npy_bytes(npy_header("<f4", "(99999999999999999999,)"), kSix)) == ": its shape is damaged");
  CHECK(
      npy_fault(npy_bytes(npy_header("<f4", "(9223372036854775807, 9223372036854775807)"), kSix)) ==
      ": holds 24 bytes of numbers, but its header says more than there can be; it is truncated or damaged");
  CHECK(npy_fault(npy_bytes(npy_header("<f4", "(0, 3)"), "")) == ": holds nothing");
  CHECK(npy_fault(npy_bytes(npy_header("<f4", "()"), "abcd")) ==
        ": is a single number, not samples [N, ...]");
}

TEST_CASE("npy: a field a file, of as many samples each") {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  write_file(path("x.npy"), npy_bytes(npy_header("<f4", "(3, 2)"), kSix));
  write_file(path("y.npy"), npy_bytes(npy_header("<i8", "(3,)"), bytes_of(Whole{7, 8, 9})));
  const auto data =
      opened(config::NpySource{.fields = {{"features", path("x.npy")}, {"target", path("y.npy")}}});
  const std::vector<int64_t> rows = {2, 0};
  const Batch batch = data->get(rows);
  CHECK(numbers_of<float>(batch["features"]) == Floats{4, 5, 0, 1});
  CHECK(numbers_of<int64_t>(batch["target"]) == Whole{9, 7});
  CHECK(data->describe().at("features").dtype == "float32");
  write_file(path("y.npy"), npy_bytes(npy_header("<i8", "(2,)"), bytes_of(Whole{7, 8})));
  CHECK(fault_of(config::NpySource{.fields = {{"a", path("x.npy")}, {"b", path("y.npy")}}}) ==
        path("y.npy") + ": holds 2 samples, but " + path("x.npy") + " holds 3");
  CHECK(fault_of(config::NpySource{.fields = {{"a", "nowhere.npy"}}}) ==
        "nowhere.npy: there is no such file");
}

namespace {

/// Two images of 2 x 3 with labels 4 and 1, in files of MNIST's format.
struct Idx {
  TemporaryFolder folder;
  config::IdxSource spec = {.images = (folder / "images").string(), .labels = (folder / "labels").string()};
  std::string images, labels;

  Idx() { reset(); }
  void reset() {
    images =
        idx_bytes({2, 2, 3}, bytes_of(std::vector<uint8_t>{0, 51, 102, 153, 204, 255, 1, 1, 1, 1, 1, 1}));
    labels = idx_bytes({2}, "\x04\x01");
  }

  std::string fault() const {
    write_file(spec.images, images);
    write_file(spec.labels, labels);
    std::string text = fault_of(spec);
    const std::string prefix = folder.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
};

}  // namespace

TEST_CASE("idx: images from 0 to 1 with their labels, plain and gz") {
  for (const bool is_zipped : {false, true}) {
    Idx idx;
    if (is_zipped) idx.images = gzipped(idx.images, idx.spec.images);
    if (is_zipped) idx.labels = gzipped(idx.labels, idx.spec.labels);
    REQUIRE(idx.fault() == "");
    const auto data = opened(idx.spec);
    const Batch all = all_of(*data);
    CHECK(all["image"].sizes() == torch::IntArrayRef({2, 1, 2, 3}));
    CHECK(all["image"][0].flatten().allclose(torch::tensor({0.F, .2F, .4F, .6F, .8F, 1.F})));
    CHECK(numbers_of<int64_t>(all["label"]) == Whole{4, 1});
    CHECK(data->describe().at("label").classes == 5);
    idx.spec.labels = "";
    CHECK_FALSE(all_of(*opened(idx.spec)).contains("label"));
  }
}

TEST_CASE("idx: a label beyond those of the training data is refused with its image") {
  Idx training, other;
  other.labels = idx_bytes({2}, "\x04\x05");
  REQUIRE(training.fault().empty());
  REQUIRE(other.fault().empty());
  StateDict learned;
  sources::open_source(training.spec)->learn({}, learned);
  CHECK_THROWS_WITH(sources::open_source(other.spec)->open(learned),
                    other.spec.labels + ": image 1 has label 5, but the training data's go up to 4");
}

TEST_CASE("idx: wrong files are refused in words") {
  Idx idx;
  std::swap(idx.images, idx.labels);
  CHECK(idx.fault() == "images: has 1 dimensions, where 3 are expected: images");
  idx.reset();
  idx.labels = idx_bytes({3}, "abc");
  CHECK(idx.fault() == "labels has 3 labels, but images has 2 images");
  idx.reset();
  idx.images.pop_back();
  CHECK(idx.fault() == "images: holds 11 bytes of data, but its header says 12; it is truncated or damaged");
  idx.reset();
  idx.images[2] = 0x0d;
  CHECK(idx.fault() == "images: holds numbers of type 0x0d, not bytes (0x08)");
  idx.reset();
  idx.images = idx_bytes({0, 2, 3}, "");
  CHECK(idx.fault() == "images: holds nothing");
  idx.reset();
  idx.images = gzipped(idx.images, idx.spec.images);
  idx.images.resize(idx.images.size() - 9);
  CHECK(idx.fault() == "images: cannot be decompressed: it is truncated");
  idx.reset();
  idx.images = gzipped(idx.images, idx.spec.images);
  char& of_checksum = idx.images[idx.images.size() - 6];
  of_checksum = static_cast<char>(~of_checksum);
  CHECK(idx.fault().starts_with("images: cannot be decompressed: "));
}

TEST_CASE(
    "cifar: images and labels of several files, one after the other, and of 100 classes the fine labels") {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  write_file(path("1.bin"), cifar_row({3}) + cifar_row({9}));
  write_file(path("2.bin"), cifar_row({0}));
  const auto data = opened(config::CifarSource{.paths = {path("1.bin"), path("2.bin")}});
  const Batch all = all_of(*data);
  CHECK(all["image"].sizes() == torch::IntArrayRef({3, 3, 32, 32}));
  CHECK(numbers_of<int64_t>(all["label"]) == Whole{3, 9, 0});
  CHECK(all["image"][1][0][0][1].item<float>() == Approx(10 / 255.0));
  CHECK(all["image"][1][1][0][0].item<float>() == Approx((9 + 1 + 1024) % 256 / 255.0));
  CHECK(all["image"][1][2][0][0].item<float>() == Approx((9 + 2 + 2048) % 256 / 255.0));
  CHECK(data->describe().at("label").classes == 10);
  write_file(path("100.bin"), cifar_row({3, 99}));
  const auto fine = opened(config::CifarSource{.paths = {path("100.bin")}, .classes = 100});
  CHECK(numbers_of<int64_t>(all_of(*fine)["label"]) == Whole{99});
  CHECK(all_of(*fine)["image"][0][0][0][1].item<float>() == Approx(4 / 255.0));
}

TEST_CASE("cifar: a file of another length, or with an impossible label, is refused") {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.bin").string();
  const config::CifarSource spec = {.paths = {path}};
  write_file(path, cifar_row({3, 9}));
  CHECK(fault_of(spec) ==
        path + ": has 3074 bytes, which are no whole number of images of CIFAR-10 (3073 bytes each)");
  write_file(path, "");
  CHECK(fault_of(spec).starts_with(path + ": has 0 bytes"));
  write_file(path, cifar_row({3}) + cifar_row({10}));
  CHECK(fault_of(spec) == path + ": image 1 has label 10; those of CIFAR-10 go up to 9");
  CHECK(fault_of(config::CifarSource{.paths = {"nowhere"}}) == "nowhere: there is no such file");
}

TEST_CASE("safetensors: tensors are fields, all of them or those that are named") {
  const TemporaryFolder folder;
  const std::string path = (folder / "a.safetensors").string();
  {
    std::ofstream out(path, std::ios::binary);
    state::write_safetensors(
        out, {{"x", torch::arange(6, torch::kFloat32).view({3, 2})}, {"y", torch::arange(3)}}, {});
  }
  const Batch all = all_of(*opened(config::SafetensorsSource{.path = path}));
  CHECK(numbers_of<float>(all["x"]) == Floats{0, 1, 2, 3, 4, 5});
  CHECK(numbers_of<int64_t>(all["y"]) == Whole{0, 1, 2});
  const Batch named =
      all_of(*opened(config::SafetensorsSource{.path = path, .fields = config::Names{{"target", "y"}}}));
  CHECK(numbers_of<int64_t>(named["target"]) == Whole{0, 1, 2});
  CHECK_FALSE(named.contains("x"));
  CHECK(fault_of(config::SafetensorsSource{.path = path, .fields = config::Names{{"target", "z"}}}) ==
        path + " has no tensor 'z'; it has x, y");
  {
    std::ofstream out(path, std::ios::binary);
    state::write_safetensors(out, {{"x", torch::zeros({3, 2})}, {"y", torch::zeros({2})}}, {});
  }
  CHECK(fault_of(config::SafetensorsSource{.path = path}) ==
        path + ": 'y' has 2 rows, but 'x' has 3; every field needs a row a sample");
}
