#include "sources/opened.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace lightrun;
using namespace lightrun::tests;

namespace {

/// A csv file of this text.
class Csv {
 public:
  explicit Csv(const std::string& text) : path_((folder_ / "a.csv").string()) { write_file(path_, text); }

  [[nodiscard]] config::CsvSource spec(std::vector<std::string> target = {}) const {
    return {.path = path_, .target = std::move(target)};
  }
  /// What opening it throws, without the folder.
  [[nodiscard]] std::string fault_with(const config::CsvSource& asked) const {
    std::string text = fault_of(asked);
    const std::string prefix = folder_.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
  [[nodiscard]] std::string fault(std::vector<std::string> target = {}) const {
    return fault_with(spec(std::move(target)));
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

std::string fault_of_text(const std::string& text) {
  return Csv(text).fault();
}

const auto kPets =
    std::string("weight,kind,legs,name\n4.5,cat,4,\"Tom, the \"\"old\"\"\"\n-1e1,dog,4,Rex\n0,bird,2,Tom\n");

}  // namespace

TEST_CASE("a table becomes features, categories from 1 by alphabet, and classes from 0") {
  const Csv csv(kPets);
  const auto data = opened(csv.spec({"kind"}));
  const Batch all = all_of(*data);
  CHECK(data->size() == 3);
  CHECK(data->is_concurrent());
  CHECK(numbers_of<float>(all["features"]) == Floats{4.5, 4, -10, 4, 0, 2});
  CHECK(all["features"].sizes() == torch::IntArrayRef({3, 2}));
  CHECK(numbers_of<int64_t>(all["categories"]) == Whole{3, 1, 2});  // Rex, Tom, "Tom, the ..."
  CHECK(numbers_of<int64_t>(all["target"]) == Whole{1, 2, 0});
  CHECK(all["target"].dim() == 1);
}

TEST_CASE("a table's description names columns, classes and their number") {
  const Csv csv(kPets);
  const DataInfo info = opened(csv.spec({"kind"}))->describe();
  CHECK(info.at("features").columns == Texts{"weight", "legs"});
  CHECK(info.at("features").shape == Whole{2});
  CHECK(info.at("features").dtype == "float32");
  CHECK(info.at("categories").columns == Texts{"name"});
  CHECK(info.at("categories").column_classes == Whole{4});
  CHECK(info.at("target").labels == Texts{"bird", "cat", "dog"});
  CHECK(info.at("target").classes == 3);
}

TEST_CASE("a numeric target stays numbers, and listed as categorical becomes classes in order of value") {
  const Csv csv("x,y,z\n1,10,3\n2,9,3\n3,-1,3\n");
  const Batch numbers = all_of(*opened(csv.spec({"y", "z"})));
  CHECK(numbers["target"].sizes() == torch::IntArrayRef({3, 2}));
  CHECK(numbers_of<float>(numbers["target"]) == Floats{10, 3, 9, 3, -1, 3});
  auto spec = csv.spec({"y"});
  spec.categorical = {"y"};
  const auto data = opened(spec);
  CHECK(numbers_of<int64_t>(all_of(*data)["target"]) == Whole{2, 1, 0});
  CHECK(data->describe().at("target").labels == Texts{"-1", "9", "10"});
  spec.features = Texts{"x"};
  CHECK(all_of(*opened(spec))["features"].sizes() == torch::IntArrayRef({3, 1}));
}

TEST_CASE("without a header columns are called by their number, and any delimiter will do") {
  const Csv csv("1;2,5\n3;4,5\n");
  auto spec = csv.spec({"1"});
  spec.header = false;
  spec.delimiter = ";";
  const auto data = opened(spec);
  CHECK(numbers_of<float>(all_of(*data)["features"]) == Floats{1, 3});
  CHECK(data->describe().at("target").labels == Texts{"2,5", "4,5"});
  const Csv tabs("a\tb\n1\t2\n");
  spec = tabs.spec();
  spec.delimiter = "\t";
  CHECK(numbers_of<float>(all_of(*opened(spec))["features"]) == Floats{1, 2});
}

TEST_CASE(
    "a byte order mark, CRLF, blank lines and a missing last line end change nothing, and rows are counted") {
  const Csv csv(
      "\xef\xbb\xbf"
      "a,b\r\n\r\n1,2\r\n\r\n\r\n3,4");
  const auto data = opened(csv.spec());
  CHECK(numbers_of<float>(all_of(*data)["features"]) == Floats{1, 2, 3, 4});
  CHECK(data->describe().at("features").columns == Texts{"a", "b"});
  for (const char* const end_text : {"\n", "\r\n", "\r"}) {
    const std::string end = end_text;
    INFO("line end of " << end.size());
    CHECK(fault_of_text("a,b" + end + "1,2" + end + end + "3" + end) ==
          "a.csv: row 4 has 1 cell, the first row has 2");
  }
}

TEST_CASE("a quoted cell may hold line ends") {
  const Csv csv("a,b\n\"x\ny\",1\n\"x\ny\",2\n");
  CHECK(opened(csv.spec({"a"}))->describe().at("target").labels == Texts{"x\ny"});
}

TEST_CASE("an empty number is an error with its row and column, or the mean of the training part") {
  const Csv csv("a,b\n1,10\nNA,20\n4,\n");
  CHECK(csv.fault() == "a.csv: row 3, column a: is empty; `missing: mean` takes the column's mean");
  auto spec = csv.spec();
  spec.missing = config::MissingValue::mean;
  CHECK(numbers_of<float>(all_of(*opened(spec))["features"]) == Floats{1, 10, 2.5, 20, 4, 15});
  const auto source = sources::open_source(spec);
  StateDict learned;
  source->learn(Whole{0, 1}, learned);
  CHECK(numbers_of<float>(all_of(*source->open(learned).dataset)["features"]) == Floats{1, 10, 1, 20, 4, 15});
  spec.target = {"b"};
  CHECK(csv.fault_with(spec) == "a.csv: row 4, column b: is empty, and it is a target");
  spec.categorical = {"b"};
  CHECK(csv.fault_with(spec) == "a.csv: row 4, column b: is empty, and it is a target");
}

TEST_CASE(
    "a cell is missing that says so in a word, a category too, and a sign or a tiny number is no word") {
  for (const std::string word : {"", "NA", "N/A", "NaN", "nan", "null", "None"}) {
    CAPTURE(word);
    const Csv csv("a,b\n+1,x\n" + word + ",y\n3,\"" + word + "\"\n1e-400,x\n");
    CHECK(csv.fault() == "a.csv: row 3, column a: is empty; `missing: mean` takes the column's mean");
    auto spec = csv.spec();
    spec.features = Texts{"b"};
    CHECK(csv.fault_with(spec) ==
          "a.csv: row 4, column b: is empty; `missing: mean` takes it for a category of its own");
    spec.features.reset();
    spec.missing = config::MissingValue::mean;
    const Batch all = all_of(*opened(spec));
    CHECK(numbers_of<float>(all["features"]) == Floats{1, 4.F / 3, 3, 0});
    CHECK(numbers_of<int64_t>(all["categories"]) == Whole{1, 2, 0, 1});
  }
}

TEST_CASE("a category that training has not seen is 0, a class an error with its row") {
  const Csv csv("kind,colour\ncat,red\ndog,blue\nyak,green\n");
  const auto source = sources::open_source(csv.spec());
  StateDict learned;
  source->learn(Whole{0, 1}, learned);
  CHECK(numbers_of<int64_t>(all_of(*source->open(learned).dataset)["categories"]) == Whole{1, 2, 2, 1, 0, 0});

  const auto with_target = sources::open_source(csv.spec({"kind"}));
  StateDict of_two;
  with_target->learn(Whole{0, 1}, of_two);
  CHECK_THROWS_WITH(with_target->open(of_two),
                    Catch::Matchers::EndsWith(
                        "a.csv: row 4, column kind: class 'yak' is not among those of the training data"));
}

TEST_CASE("a column of numbers with a text in it is a mistake, and said where") {
  CHECK(
      fault_of_text("a,b\n1,1\n2,2\nx2,3\n") ==
      "a.csv: row 4, column a: 'x2' is no number, as 2 others of the column are; mend it, or list the column "
      "in `categorical`");
  const Csv csv("a,b\n1,1\n2,2\nx2,3\n");
  auto spec = csv.spec();
  spec.categorical = {"a"};
  CHECK(numbers_of<int64_t>(all_of(*opened(spec))["categories"]) == Whole{1, 2, 3});
  CHECK(fault_of_text("a\n1\ninf\n") != "");
  CHECK(fault_of_text("a,b\n1e300,1\n2,1\n") == "a.csv: row 2, column a: 1e300 is too large for float32");
  CHECK(fault_of_text("a,b\n1e400,1\n2,1\n") == "a.csv: row 2, column a: 1e400 is too large for float32");
  CHECK(fault_of_text("a,b\n,1\n,2\n").find("column a has no value in any row") != std::string::npos);
}

TEST_CASE("what is wrong with a table's form is said with its row") {
  CHECK(fault_of_text("") == "a.csv: is empty");
  CHECK(fault_of_text("a,b\n") == "a.csv: has no rows below its header");
  CHECK(fault_of_text("a,b\n1,2\n1,2,3\n") == "a.csv: row 3 has 3 cells, the first row has 2");
  CHECK(fault_of_text("a,b,a\n1,2,3\n") == "a.csv: row 1: two columns are called 'a'");
  CHECK(fault_of_text("a,,b\n1,2,3\n") == "a.csv: row 1: column 2 has no name");
  CHECK(fault_of_text("a,b\n1,2\n1,\xff\n") == "a.csv: row 3, column b: is not UTF-8");
  CHECK(fault_of_text("a,\xff\n1,2\n") == "a.csv: row 1: the name of column 2 is not UTF-8");
  CHECK(fault_of_text("a,b\n1,\"2\n").starts_with("a.csv: row 2: a quote is not where it should be"));
  CHECK(fault_of_text("a,b\n1,\"2\"x\n").starts_with("a.csv: row 2: a quote is not where it should be"));
}

TEST_CASE("settings that do not fit the table are refused, with the name that was meant") {
  const Csv csv("weight,height\n1,2\n");
  CHECK(csv.fault({"wieght"}) == "a.csv has no column 'wieght' (did you mean weight?)");
  CHECK(csv.fault({"q"}) == "a.csv has no column 'q'; it has weight, height");
  auto spec = csv.spec({"height"});
  spec.features = Texts{"height"};
  CHECK(csv.fault_with(spec) == "'height' is a target, too");
  spec.features = Texts{"weight", "weight"};
  CHECK(csv.fault_with(spec) == "'weight' is named twice");
  CHECK(csv.fault_with({.path = "nowhere.csv"}) == "nowhere.csv: there is no such file");
  CHECK(csv.fault_with({.path = "/"}) == "/: is a folder, not a file");
  CHECK(csv.fault_with({.path = "/dev/zero"}) == "/dev/zero: is no regular file, but a device or a pipe");
}

TEST_CASE("a file with another delimiter is told by its only column") {
  const Csv csv("x;y\n1;2\n");
  CHECK(csv.fault({"y"}) ==
        "a.csv has no column 'y'; its only column is 'x;y' (did you mean delimiter: ';'?)");
  auto spec = csv.spec({"y"});
  spec.delimiter = ";";
  CHECK(csv.fault_with(spec) == "");
}

TEST_CASE("control characters of a cell are shown as numbers") {
  CHECK(fault_of_text(std::string("a,b\n1,1\n2,2\nx\0y,3\n", 18)) ==
        "a.csv: row 4, column a: 'x\\x00y' is no number, as 2 others of the column are; mend it, or list the "
        "column in `categorical`");
}

TEST_CASE("whole numbers that float32 has not are warned of once a column") {
  const Csv csv("time,n\n16777216,1\n16777217,2\n16777219,0.1\n");
  const auto before = spdlog::default_logger();
  std::ostringstream said;
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(said)));
  spdlog::default_logger()->set_pattern("%v");
  const auto data = opened(csv.spec());
  spdlog::set_default_logger(before);
  CHECK(data->size() == 3);
  CHECK_THAT(said.str(), Catch::Matchers::Contains("row 3, column time: 16777217 is 16777216 in float32"));
  CHECK_THAT(said.str(), !Catch::Matchers::Contains("row 4"));
}

TEST_CASE("targets are all numbers or all classes") {
  const Csv classes("a,b,c\n1,x,u\n2,y,v\n3,x,v\n");
  const auto data = opened(classes.spec({"b", "c"}));
  CHECK(all_of(*data)["target"].equal(torch::tensor({{0, 0}, {1, 1}, {0, 1}})));
  CHECK(data->describe().at("target").columns == Texts{"b", "c"});
  const Csv csv("a,b,c\n1,2,x\n1,2,y\n");
  CHECK(csv.fault({"a", "c"}) == "some are numbers and some are categories: a, c");
}

TEST_CASE("another file than the training data's must have its features, and may lack its target") {
  const Csv training("x,kind\n1,cat\n2,dog\n");
  StateDict learned;
  sources::open_source(training.spec({"kind"}))->learn(Whole{0, 1}, learned);
  const Csv without_target("x\n5\n");
  const auto data = sources::open_source(without_target.spec())->open(learned).dataset;
  CHECK(numbers_of<float>(all_of(*data)["features"]) == Floats{5});
  CHECK_FALSE(all_of(*data).contains("target"));
  const Csv other("y,kind\n5,cat\n");
  CHECK_THROWS_WITH(sources::open_source(other.spec())->open(learned),
                    Catch::Matchers::Contains("has no column 'x'"));
  const Csv worded("x,kind\nfive,cat\n");
  CHECK_THROWS_WITH(
      sources::open_source(worded.spec())->open(learned),
      Catch::Matchers::EndsWith("row 2, column x: 'five' is no number, as those of the training data are"));
}
