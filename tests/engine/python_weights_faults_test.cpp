#include "state/python_weights.hpp"

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <lightrun/error.hpp>

#include <torch/torch.h>

#include <caffe2/serialize/inline_container.h>

#include <cstring>
#include <limits>

using namespace lightrun;
using lightrun::tests::TemporaryFolder;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

std::string bytes_of(const auto& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Pieces of pickles; Python's pickletools.py tells what each letter does.

std::string text(const std::string& text) {
  return std::string("X") + bytes_of(static_cast<uint32_t>(text.size())) + text;
}

std::string number(int64_t value) {
  return std::string("\x8a\x08") + bytes_of(value);
}

std::string tuple(const std::vector<int64_t>& values) {
  std::string pickle = "(";
  for (const int64_t value : values) pickle += number(value);
  return pickle + "t";
}

std::string storage(int64_t length, const std::string& key = "0", const std::string& type = "FloatStorage") {
  std::string pickle("(");
  pickle += text("storage") + "ctorch\n" + type + "\n" + text(key) + text("cpu") + number(length) + "tQ";
  return pickle;
}

std::string tensor(const std::string& storage_pickle, int64_t offset, const std::vector<int64_t>& sizes,
                   const std::vector<int64_t>& strides, const std::string& more = "") {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage_pickle + number(offset) + tuple(sizes) +
         tuple(strides) + "\x89}" + more + "tR";
}

std::string dict(const std::string& name, const std::string& value) {
  return std::string("}") + text(name) + value + "s";
}

const std::string kWeight = tensor(storage(2), 0, {2}, {1});  // of the values 1, 2
const std::string kSystem = "cposix\nsystem\n(" + text("touch executed") + "tR";

/// A file of torch.save with a pickle and two floats.
std::filesystem::path archive_of(const TemporaryFolder& folder, const std::string& pickle,
                                 const std::string& byte_order = "little") {
  const float values[] = {1, 2};
  caffe2::serialize::PyTorchStreamWriter archive((folder / "a.pt").string());
  archive.writeRecord("data.pkl", pickle.data(), pickle.size());
  archive.writeRecord("byteorder", byte_order.data(), byte_order.size());
  archive.writeRecord("data/0", values, sizeof values);
  archive.writeEndOfFile();
  return folder / "a.pt";
}

/// What a RunError says, after the path; "" where the file is read.
std::string refusal_of(const std::filesystem::path& path) {
  try {
    (void)state::read_python_state_dict(path);
  } catch (const RunError& error) {
    const std::string message = error.what();
    CHECK(message.find("Exception raised") == std::string::npos);
    REQUIRE(message.starts_with(path.string() + ": "));
    return message.substr(path.string().size() + 2);
  }
  return "";
}

}  // namespace

TEST_CASE("a pickle that would run a command is refused where it stands for weights, else ignored") {
  const TemporaryFolder folder;
  const auto back = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  CHECK(
      refusal_of(archive_of(folder, kSystem + ".")) ==
      "holds no state dict: what it holds is made by posix.system. In Python: torch.save(model.state_dict(), "
      "path)");
  CHECK_THAT(refusal_of(archive_of(folder, "cposix\nfork\n)R.")),
             Catch::Matchers::StartsWith("holds no state dict: what it holds is made by posix.fork"));
  CHECK(refusal_of(archive_of(folder, dict("w", kSystem) + ".")) ==
        "'w' is no tensor that can be read here: it is made by posix.system");
  const std::string wrapped = "}(" + text("state_dict") + dict("w", kWeight) + text("x") + kSystem + "u.";
  CHECK(torch::equal(state::read_python_state_dict(archive_of(folder, wrapped)).at("w"),
                     torch::tensor({1.f, 2.f})));
  CHECK(folder.names() == std::vector<std::string>{"a.pt"});
  std::filesystem::current_path(back);
}

TEST_CASE("a tensor must lie within its storage, and the storage within the file") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& tensor_pickle) {
    return refusal_of(archive_of(folder, dict("w", tensor_pickle) + "."));
  };
  CHECK(refused(kWeight).empty());
  CHECK(refused(tensor(storage(2), 2, {0, 3}, {3, 1})).empty());
  const std::string beyond = "'w' is damaged: it reaches beyond its storage";
  CHECK(refused(tensor(storage(2), 0, {3}, {1})) == beyond);
  CHECK(refused(tensor(storage(2), 1, {2}, {1})) == beyond);
  CHECK(refused(tensor(storage(2), 0, {2}, {2})) == beyond);
  CHECK(refused(tensor(storage(2), -1, {2}, {1})) == beyond);
  CHECK(refused(tensor(storage(2), 1, {2}, {-1})) == beyond);
  const std::string minus_one = "\x8a\x01\xff";  // as Python writes it
  CHECK(refused("ctorch._utils\n_rebuild_tensor_v2\n(" + storage(2) + number(0) + tuple({1}) + minus_one +
                "\x85\x89}tR") == beyond);
  CHECK(refused(tensor(storage(2), 0, {-2}, {1})) == beyond);
  CHECK(refused(tensor(storage(2), 0, {-2, -1}, {1, 1})) == beyond);
  CHECK(refused(tensor(storage(2), 0, {3, kMost / 2 + 1}, {kMost / 2 + 1, 1})) == beyond);
  CHECK(refused(tensor(storage(2), 2, {2}, {kMost})) == beyond);
  CHECK(refused(tensor(storage(2), kMost, {2}, {1})) == beyond);
  CHECK(refused(tensor(storage(kMost), 0, {2}, {1})) == beyond);
  CHECK(refused(tensor(storage(0), 0, {}, {})) == beyond);
  CHECK(refused(tensor(storage(-1), 0, {}, {})) == beyond);
  CHECK(refused(tensor(storage(2), 0, {kMost, kMost, 0}, {0, 0, 0})) == beyond);
  CHECK(refused(tensor(storage(3), 0, {2}, {1})) ==
        "'w' is truncated: its storage should have 12 bytes, it has 8");
  CHECK(refused(tensor(storage(2, "0", "DoubleStorage"), 0, {1}, {1})) ==
        "'w' is truncated: its storage should have 16 bytes, it has 8");
  CHECK(refused(tensor(storage(2, "7"), 0, {2}, {1})) == "'w' is not there: the file has no data/7");
  CHECK(refused(tensor(storage(2, "../data.pkl"), 0, {2}, {1})) ==
        "'w' is not there: the file has no data/../data.pkl");
  CHECK(refused(tensor(storage(2, "0", "QInt8Storage"), 0, {2}, {1})) ==
        "'w' is of a type that cannot be read here: torch.QInt8Storage");
}

TEST_CASE("a tensor may repeat elements, but not ask for memory without end") {
  const TemporaryFolder folder;
  const auto refused = [&](int64_t size) {
    return refusal_of(archive_of(folder, dict("w", tensor(storage(2), 0, {size}, {0})) + "."));
  };
  CHECK(refused(1'000'000).empty());
  CHECK_THAT(refused(20'000'000),
             Catch::Matchers::StartsWith("is damaged: its tensors up to 'w' would take"));
  CHECK_THAT(refused(kMost / 4), Catch::Matchers::StartsWith("is damaged: its tensors up to 'w' would take"));
  std::string many = "}(" + tensor(storage(2), 0, {1'000'000}, {0}) + "q\x01" + "0";
  for (int i = 0; i < 20; ++i) many += text(std::to_string(i)) + "h\x01";
  CHECK_THAT(refusal_of(archive_of(folder, many + "u.")),
             Catch::Matchers::StartsWith("is damaged: its tensors"));
}

TEST_CASE("parts of a tensor that are no such parts make it none") {
  const TemporaryFolder folder;
  const std::string function = "ctorch._utils\n_rebuild_tensor_v2\n";
  const std::string parts = number(0) + tuple({2}) + tuple({1}) + "\x89}";
  for (const std::string& made : {
           function + ")R",
           function + "NR",
           function + "(" + text("storage") + parts + "tR",
           function + "(NQ" + parts + "tR",
           function + "()Q" + parts + "tR",
           function + "(" + storage(2) + number(0) + tuple({2}) + tuple({1, 1}) + "\x89}tR",
           function + "(" + storage(2) + number(0) + "(Nt" + tuple({1}) + "\x89}tR",
           function + "(" + storage(2) + number(0) + tuple(std::vector<int64_t>(65, 1)) +
               tuple(std::vector<int64_t>(65, 1)) + "\x89}tR",
       }) {
    CHECK(refusal_of(archive_of(folder, dict("w", made) + ".")) ==
          "'w' is no tensor that can be read here: it is made by torch._utils._rebuild_tensor_v2");
  }
  CHECK_THAT(
      refusal_of(archive_of(folder, dict("w", tensor(storage(2), 0, {2}, {1}, dict("conj", "\x88"))) + ".")),
      Catch::Matchers::StartsWith("'w' is conjugated"));
}

TEST_CASE("a pickle that takes what is not there is refused") {
  const TemporaryFolder folder;
  for (const std::string pickle : {"",
                                   ".",
                                   "(.",
                                   "N",
                                   "0.",
                                   "1.",
                                   "2.",
                                   "a.",
                                   "e.",
                                   "s.",
                                   "u.",
                                   "t.",
                                   "R.",
                                   "b.",
                                   "Q.",
                                   "\x93.",
                                   "\x81.",
                                   "\x92.",
                                   "\x85.",
                                   "\x87.",
                                   "(0.",
                                   "(\x85.",
                                   "N(R.",
                                   "}(Nu.",
                                   "K\x01(NNu.",
                                   "h\x01.",
                                   "j\1\1\1\1.",
                                   "q\1.",
                                   "\x94.",
                                   "}(NNs.",
                                   "\x8d\xff\xff\xff\xff\xff\xff\xff\xff.",
                                   "X\xff\xff\xff\xff.",
                                   "\x95\xff\xff\xff\xff....",
                                   "\x80\x06N.",
                                   "cposix",
                                   "cposix\nsystem",
                                   "K\1K\1\x93.",
                                   "P1\n.",
                                   "I1\n.",
                                   "\x82\x01.",
                                   "\xff."}) {
    INFO(pickle);
    CHECK_THAT(refusal_of(archive_of(folder, pickle)), Catch::Matchers::StartsWith("its pickle is damaged"));
  }
}

TEST_CASE("a pickle may be nested and refer to itself without end") {
  const TemporaryFolder folder;
  const auto wrapped = [](const std::string& other) {
    return "}(" + text("other") + other + text("state_dict") + dict("w", kWeight) + "u.";
  };
  const std::string tuples = "N" + std::string(1'000'000, '\x85');
  CHECK(refusal_of(archive_of(folder, wrapped(tuples))).empty());
  CHECK(refusal_of(archive_of(folder, wrapped("}q\x05" + text("me") + "h\x05s"))).empty());
  const std::string itself = "}q\x05" + text("state_dict") + "h\x05s.";
  CHECK(refusal_of(archive_of(folder, itself)) ==
        "'state_dict' is no tensor that can be read here: it is a Python dict");
  std::string parameters = kWeight;
  for (int i = 0; i < 1000; ++i) parameters = "ctorch._utils\n_rebuild_parameter\n" + parameters + "\x85R";
  CHECK(refusal_of(archive_of(folder, dict("w", parameters) + ".")) ==
        "'w' is no tensor that can be read here: it is made by torch._utils._rebuild_parameter");
}

TEST_CASE("names from a file do not reach the terminal as they are") {
  const TemporaryFolder folder;
  CHECK(refusal_of(archive_of(folder, dict("a\nb\x07", "N") + ".")) ==
        "'a?b?' is no tensor that can be read here: it is a Python NoneType");
  CHECK(refusal_of(archive_of(folder, dict(std::string(100'000, 'a'), "N") + ".")).size() < 300);
}

TEST_CASE("a file of a big-endian machine is refused") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of(archive_of(folder, dict("w", kWeight) + ".", "big")),
             Catch::Matchers::StartsWith("is of a machine that is not little-endian"));
}

TEST_CASE("a file that was cut anywhere is refused") {
  const TemporaryFolder folder;
  state::write_python_state_dict(folder / "a.pt", {{"w", torch::ones({3})}});
  const std::string whole = tests::read_file(folder / "a.pt");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    tests::write_file(folder / "b.pt", whole.substr(0, length));
    INFO(length);
    REQUIRE_FALSE(refusal_of(folder / "b.pt").empty());
  }
}

TEST_CASE("a file with any byte changed is read or refused") {
  const TemporaryFolder folder;
  state::write_python_state_dict(folder / "a.pt", {{"w", torch::ones({3})}});
  const std::string whole = tests::read_file(folder / "a.pt");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char mask : {'\x01', '\xff'}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ mask);
      tests::write_file(folder / "b.pt", changed);
      INFO(i);
      CHECK_NOTHROW(refusal_of(folder / "b.pt"));
    }
  }
}

TEST_CASE("what is no file of torch.save is refused as what it is") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of(folder / "none.pt"), Catch::Matchers::StartsWith("cannot be read: No such file"));
  CHECK(refusal_of(folder.path()) == "is a folder, not a file");
  CHECK_FALSE(state::is_zip_file(folder / "none.pt"));
  CHECK_FALSE(state::is_zip_file(folder.path()));
  tests::write_file(folder / "garbage.pt", "hello");
  CHECK(refusal_of(folder / "garbage.pt") == "is no file of torch.save: it does not begin as a zip archive");
  tests::write_file(folder / "zip.pt", "PK\3\4 and no more");
  CHECK_THAT(refusal_of(folder / "zip.pt"),
             Catch::Matchers::StartsWith("cannot be read as a file of torch.save, it may be truncated: "));
  torch::save(torch::nn::Linear(1, 1), (folder / "program.pt").string());
  CHECK_THAT(refusal_of(folder / "program.pt"), Catch::Matchers::StartsWith("is a TorchScript archive"));
  caffe2::serialize::PyTorchStreamWriter((folder / "other.pt").string()).writeEndOfFile();
  CHECK(refusal_of(folder / "other.pt") == "is no file of torch.save: it has no data.pkl");
}
