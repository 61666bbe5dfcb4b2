// The files of predictions: what is in them, and what is refused.

#include "predictions/writer.hpp"
#include "sources/arrays.hpp"
#include "sources/image_file.hpp"
#include "state/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <cmath>
#include <cstdint>
#include <locale>

using namespace lightrun;
using namespace lightrun::predictions;
using Catch::Matchers::Contains;
using lightrun::tests::read_file;
using lightrun::tests::TemporaryFolder;
using lightrun::tests::write_file;

namespace {

/// Writes these batches to `path`.
void write_all(const std::filesystem::path& path, const std::vector<Batch>& batches,
               const DataInfo& info = {}, const std::string& field = "", bool overwrite = false) {
  Writer writer(open_output(path.string(), field, overwrite));
  int64_t index = 0;
  for (const Batch& batch : batches) writer.add(index++, batch.size(), batch);
  writer.write(info);
}

std::string csv_of(const std::vector<Batch>& batches, const DataInfo& info = {}) {
  const TemporaryFolder folder;
  write_all(folder / "p.csv", batches, info);
  return read_file(folder / "p.csv");
}

/// A field `target` of three classes.
DataInfo flowers() {
  FieldInfo target;
  target.name = "target";
  target.classes = 3;
  target.labels = {"setosa", "versi,color", "virginica"};
  return {{target}};
}

torch::Tensor bytes_of(const std::vector<std::string>& rows, int64_t width) {
  auto bytes = torch::zeros({static_cast<int64_t>(rows.size()), width}, torch::kUInt8);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k)
      bytes[static_cast<int64_t>(i)][static_cast<int64_t>(k)] = static_cast<uint8_t>(rows[i][k]);
  return bytes;
}

/// Groups digits and has a decimal comma, as some languages do.
struct Grouping : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("a csv file has a column a number, of all batches, in their order") {
  const Batch first = {{"x", torch::tensor({0.1f, -0.f})}, {"y", torch::tensor({{1, 2}, {3, 4}})}};
  const Batch last = {{"x", torch::tensor({1e-7f})}, {"y", torch::tensor({{5, 6}})}};
  CHECK(csv_of({first, last}) == "x,y.0,y.1\n0.1,1,2\n-0,3,4\n1e-07,5,6\n");
}

TEST_CASE("numbers in a csv file have the digits that give them back, whatever the language") {
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouping));
  const std::string text =
      csv_of({{{"f", torch::tensor({1.f / 3, 16777217.f, INFINITY, NAN})},
               {"d", torch::tensor({1. / 3, 12345678.5, -HUGE_VAL, 0.}, torch::kFloat64)},
               {"h", torch::tensor({0.5f, 1.f, 2.f, 3.f}).to(torch::kFloat16)},
               {"i", torch::tensor({INT64_MAX, INT64_MIN, int64_t{0}, int64_t{1234567}})},
               {"b", torch::tensor({true, false, true, false})}}});
  std::locale::global(before);
  CHECK(text ==
        "f,d,h,i,b\n"
        "0.33333334,0.3333333333333333,0.5,9223372036854775807,1\n"
        "16777216,12345678.5,1,-9223372036854775808,0\n"
        "inf,-inf,2,0,1\n"
        "nan,0,3,1234567,0\n");
}

TEST_CASE("a csv file names classes as the data does") {
  const Batch batch = {{"prediction", torch::tensor({1, 2})},
                       {"probability", torch::tensor({{0.25, 0.5, 0.25}, {0., 0., 1.}})},
                       {"code", torch::tensor({{0.5, 1.}, {2., 3.}})},
                       {"rank", torch::tensor({0, 1})}};
  CHECK(csv_of({batch}, flowers()) ==
        "prediction,probability.setosa,\"probability.versi,color\",probability.virginica,code.0,code.1,rank\n"
        "\"versi,color\",0.25,0.5,0.25,0.5,1,0\n"
        "virginica,0,0,1,2,3,1\n");
  CHECK(csv_of({{{"target", torch::tensor({0})}}}, flowers()) == "target\nsetosa\n");
  // Not all of these are classes.
  CHECK(csv_of({{{"prediction", torch::tensor({1, 3})}}}, flowers()) == "prediction\n1\n3\n");
}

TEST_CASE("lightrun's own reader reads a .npy file, whatever is in it") {
  const TemporaryFolder folder;
  const auto numbers = torch::arange(24).reshape({2, 3, 4});
  for (const auto type : {torch::kFloat32, torch::kFloat64, torch::kFloat16, torch::kInt64, torch::kInt32,
                          torch::kInt16, torch::kInt8, torch::kUInt8, torch::kBool}) {
    for (const auto& tensor : {numbers, numbers.flatten(), numbers.flatten(1), numbers.transpose(1, 2)}) {
      CAPTURE(toString(type), c10::str(tensor.sizes()));
      const auto expected = tensor.to(type);
      write_all(folder / "p.npy", {{{"x", expected}}}, {}, "", /*overwrite=*/true);
      const auto read = sources::read_npy((folder / "p.npy").string());
      CHECK(read.scalar_type() == type);
      CHECK(torch::equal(read, expected));
    }
  }
  write_all(folder / "half.npy", {{{"x", torch::tensor({0.5f, -2.f}).to(torch::kBFloat16)}}});
  CHECK(torch::equal(sources::read_npy((folder / "half.npy").string()), torch::tensor({0.5f, -2.f})));
}

TEST_CASE("a .npy file is as numpy.save writes it") {
  const TemporaryFolder folder;
  write_all(folder / "p.npy",
            {{{"x", torch::tensor({{1.f, 2.f, 3.f}})}}, {{"x", torch::tensor({{4.f, 5.f, 6.f}})}}});
  const std::string file = read_file(folder / "p.npy");
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  CHECK(file.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(file.substr(10, dictionary.size()) == dictionary);
  CHECK(file.substr(10 + dictionary.size(), 128 - 11 - dictionary.size()) ==
        std::string(128 - 11 - dictionary.size(), ' '));
  CHECK(file[127] == '\n');
  CHECK(file.size() == 128 + 6 * sizeof(float));
  write_all(folder / "q.npy", {{{"x", torch::tensor({1, 2, 3})}}});
  CHECK_THAT(read_file(folder / "q.npy"), Contains("'shape': (3,), }"));
}

TEST_CASE("a .safetensors file has all fields, or the one that is asked for") {
  const TemporaryFolder folder;
  const Batch batch = {{"a", torch::tensor({1., 2.})}, {"b", torch::ones({2, 1, 1, 5}, torch::kBool)}};
  write_all(folder / "p.safetensors", {batch, batch});
  const auto tensors = state::read_safetensors(folder / "p.safetensors").tensors;
  REQUIRE(tensors.size() == 2);
  CHECK(torch::equal(tensors.at("a"), torch::tensor({1., 2., 1., 2.})));
  CHECK(tensors.at("b").sizes() == std::vector<int64_t>{4, 1, 1, 5});
  write_all(folder / "q.safetensors", {batch}, {}, "b");
  CHECK(state::read_safetensors(folder / "q.safetensors").tensors.size() == 1);
}

TEST_CASE("a text has a line a row, without the zeros at its end, and batches of any length") {
  const TemporaryFolder folder;
  write_all(folder / "p.txt",
            {{{"text", bytes_of({"to be", "or"}, 5)}}, {{"text", bytes_of({"", "not to be\xc3\xa9"}, 12)}}});
  CHECK(read_file(folder / "p.txt") == "to be\nor\n\nnot to be\xc3\xa9\n");
  write_all(folder / "q.txt", {{{"story", bytes_of({"a"}, 2)}}, {{"story", bytes_of({"b"}, 1)}}}, {},
            "story");
  CHECK(read_file(folder / "q.txt") == "a\nb\n");
}

TEST_CASE("a text that is not UTF-8 is refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(write_all(folder / "p.txt", {{{"text", bytes_of({"a\xff"}, 4)}}}),
                    Contains("is not UTF-8 (byte 1)"));
}

TEST_CASE("images are files in a folder that is made, 0 black and 1 white") {
  const TemporaryFolder folder;
  const auto grey = torch::tensor({0.f, 0.5f, 1.f, 7.f, -1.f, NAN}).reshape({1, 1, 2, 3});
  const auto colour = torch::rand({1, 3, 4, 5});
  const std::string grey_folder = (folder / "a/grey/").string();
  write_all(grey_folder, {{{"image", grey}}, {{"image", torch::ones({1, 1, 2, 3})}}});
  CHECK(torch::equal(sources::read_image(grey_folder + "000000.png", 1),
                     torch::tensor({0, 128, 255, 255, 0, 0}).reshape({1, 2, 3}).to(torch::kUInt8)));
  CHECK(sources::read_image(grey_folder + "000001.png", 1).eq(255).all().item<bool>());
  write_all((folder / "colour/").string(), {{{"image", colour}, {"code", torch::ones({1, 2})}}});
  const auto read = sources::read_image((folder / "colour/000000.png").string(), 3);
  CHECK(read.to(torch::kFloat32).div(255).sub(colour[0]).abs().max().item<double>() < 0.003);
  CHECK(folder.names() == std::vector<std::string>{"a", "colour"});
}

TEST_CASE("images that are there already are replaced only with --overwrite") {
  const TemporaryFolder folder;
  const std::vector<Batch> black = {{{"image", torch::zeros({3, 1, 2, 2})}}};
  write_file(folder / "000002.png", "somebody's");
  CHECK_THROWS_WITH(write_all(folder.path(), black), Contains("000002.png is there already; --overwrite"));
  CHECK(folder.names() == std::vector<std::string>{"000002.png"});
  write_all(folder.path(), black, {}, "", /*overwrite=*/true);
  CHECK(folder.names() == std::vector<std::string>{"000000.png", "000001.png", "000002.png"});
  // The first one tells before anything has run.
  CHECK_THROWS_WITH(open_output(folder.path().string(), "", false), Contains("000000.png is there already"));
}

TEST_CASE("what an output has no place for is refused with the first batch, and with what would take it") {
  const TemporaryFolder folder;
  const auto refused = [&](const char* name, const Batch& batch, const std::string& field, const char* why) {
    CAPTURE(name, why);
    Writer writer(open_output((folder / name).string(), field, false));
    CHECK_THROWS_WITH(writer.add(0, batch.size(), batch), Contains(why));
    CHECK(folder.names().empty());
  };
  const Batch two = {{"a", torch::ones(2)}, {"b", torch::ones({2, 3, 4})}};
  refused("p.csv", two, "", "field 'b' is [2, 3, 4] Float; a .csv file has rows of numbers: write a .npy");
  refused("p.npy", two, "", "p.npy holds one field, and the model predicts a, b: choose one, --field NAME");
  refused("p.npy", two, "c", "p.npy takes field 'c', and the model predicts a, b");
  refused("p.txt", two, "", "takes field 'text', and the model predicts a, b; choose one: --field NAME");
  refused("p.txt", two, "a", "field 'a' is [2] Float; a text is of bytes, [N, L] Byte");
  refused("p/", two, "", "takes field 'image', and the model predicts a, b");
  refused("p/", two, "b", "field 'b' is [2, 3, 4] Float; an image is of numbers from 0 to 1");
  refused("p/", {{"image", torch::ones({2, 2, 4, 4})}}, "", "an image is of numbers from 0 to 1");
  const Batch imaginary = {{"a", torch::ones(2, torch::kComplexFloat)}};
  refused("p.csv", imaginary, "", "write a .safetensors file");
  refused("p.npy", imaginary, "", "write a .safetensors file");
  refused("p.csv", {{"a", std::vector{torch::ones(2), torch::ones(3)}}}, "",
          "field 'a' is a list of tensors");
  Writer writer(open_output((folder / "p.csv").string(), "", false));
  CHECK_THROWS_WITH(writer.add(4, 3, {{"a", torch::ones(2)}}),
                    "batch 4: field 'a' is [2] Float, and the batch has 3 samples: a row a sample");
  CHECK_THROWS_WITH(writer.add(4, 3, {{"a", torch::tensor(1.)}}), Contains("field 'a' is [] "));
  CHECK_THROWS_WITH(writer.add(4, 3, {}), "batch 4: predict_step answers no field");
  CHECK_THROWS_WITH(writer.write({}), Contains("there is nothing to write"));
}

TEST_CASE("a batch that differs from the first is refused, with its number and the field") {
  const TemporaryFolder folder;
  Writer writer(open_output((folder / "p.safetensors").string(), "", false));
  writer.add(1, 2, {{"a", torch::ones({2, 3})}, {"b", torch::ones(2)}});
  const auto refused = [&](const Batch& batch, const char* why) {
    CHECK_THROWS_WITH(writer.add(5, batch.size(), batch), why);
  };
  refused({{"a", torch::ones({1, 3})}}, "batch 5: field 'b' is missing, which was there in batch 1");
  refused({{"a", torch::ones({1, 3})}, {"b", torch::ones(1)}, {"c", torch::ones(1)}},
          "batch 5: field 'c' was not there in batch 1");
  refused({{"a", torch::ones({1, 4})}, {"b", torch::ones(1)}},
          "batch 5: field 'a' is [1, 4] Float, which was [2, 3] Float in batch 1");
  refused({{"a", torch::ones({1, 3})}, {"b", torch::ones(1, torch::kInt64)}},
          "batch 5: field 'b' is [1] Long, which was [2] Float in batch 1");
  writer.add(5, 1, {{"b", torch::ones(1)}, {"a", torch::ones({1, 3})}});
  writer.write({});
  CHECK(writer.summary() == (folder / "p.safetensors").string() + ": 3 rows of a, b");
}

TEST_CASE("what a model answers is copied, since it may use the memory again") {
  const TemporaryFolder folder;
  Writer writer(open_output((folder / "p.csv").string(), "", false));
  const auto buffer = torch::zeros(1);
  for (int64_t i = 0; i < 3; ++i) {
    buffer.fill_(static_cast<double>(i));
    writer.add(i, 1, {{"x", buffer}});
  }
  writer.write({});
  CHECK(read_file(folder / "p.csv") == "x\n0\n1\n2\n");
}

TEST_CASE("the ending says what is written, and where nothing can be is said at once") {
  const TemporaryFolder folder;
  const auto format = [&](const char* name) {
    return open_output((folder / name).string(), "", false).format;
  };
  CHECK(format("p.csv") == Format::csv);
  CHECK(format("p.npy") == Format::npy);
  CHECK(format("p.safetensors") == Format::safetensors);
  CHECK(format("p.txt") == Format::text);
  CHECK(format("new/deep/") == Format::images);
  std::filesystem::create_directory(folder / "there.csv");
  CHECK(format("there.csv") == Format::images);
  for (const char* name : {"p.json", "p", "p.csv.gz"}) {
    CHECK_THROWS_AS(format(name), UsageError);
    CHECK_THROWS_WITH(format(name),
                      Contains("ends in .csv, .npy, .safetensors or .txt; a folder, for images, in /"));
  }
  CHECK_THROWS_WITH(format("no/p.csv"), Contains("no: No such file or directory"));
  write_file(folder / "old.csv", "");
  CHECK_THROWS_AS(format("old.csv"), RunError);
  CHECK_THROWS_WITH(format("old.csv"), Contains("old.csv is there already; --overwrite replaces it"));
  CHECK(open_output((folder / "old.csv").string(), "", true).overwrite);
}
