#include "report/metrics.hpp"

#include "report/run_folders.hpp"
#include "support/catch.hpp"

#include <lightrun/error.hpp>

#include <cmath>
#include <limits>

using namespace lightrun;
using namespace lightrun::report;
using namespace lightrun::tests;

namespace {

using Rows = std::vector<std::size_t>;
using Values = std::vector<double>;

const std::string kColumns = "epoch,step,time_s,loss\n";

}  // namespace

TEST_CASE("a series has the rows at which it was logged") {
  const Metrics metrics = parse_metrics_csv(kFewMetrics);
  CHECK(metrics.epochs == std::vector<int64_t>{0, 0, 1, 1});
  CHECK(metrics.steps == std::vector<int64_t>{0, 1, 2, 3});
  CHECK(metrics.seconds == Values{0.5, 1, 2, 3});
  REQUIRE(metrics.series.size() == 2);
  CHECK(metrics.find("train_loss")->values == Values{4, 2, 1, 0.1});
  CHECK(metrics.find("val_loss")->rows == Rows{1, 3});
  CHECK(metrics.find("val_loss")->values == Values{3, 2.5});
  CHECK(metrics.find("loss") == nullptr);
}

TEST_CASE("nan and infinities are values, and names may be quoted") {
  const Metrics metrics =
      parse_metrics_csv("epoch,step,time_s,\"a, \"\"b\"\"\"\n0,0,1,nan\n0,1,2,inf\n0,2,3,-inf\n");
  REQUIRE(metrics.find("a, \"b\""));
  const Values& values = metrics.find("a, \"b\"")->values;
  REQUIRE(values.size() == 3);
  CHECK(std::isnan(values[0]));
  CHECK(values[1] == std::numeric_limits<double>::infinity());
  CHECK(values[2] == -std::numeric_limits<double>::infinity());
}

TEST_CASE("a last line that is being written is left out, also where it looks whole") {
  CHECK(parse_metrics_csv(kColumns + "0,0,1,5\n0,1,2,0.12").rows() == 1);
  CHECK(parse_metrics_csv(kColumns + "0,0,1,5\n0,1,2,0.12").bad_lines == 0);
}

TEST_CASE("lines that are no rows are counted and left out") {
  const Metrics metrics = parse_metrics_csv(kColumns + "0,0,1,5\n0,1,2\n0,x,3,6\n0,3,4,seven\n0,4,5,8\n");
  CHECK(metrics.steps == std::vector<int64_t>{0, 4});
  CHECK(metrics.bad_lines == 3);
}

TEST_CASE("a file that is not there has no rows, an empty one neither") {
  const TemporaryFolder folder;
  CHECK(read_metrics(folder.path()).rows() == 0);
  write_file(folder / "metrics.csv", "");
  CHECK(read_metrics(folder.path()).rows() == 0);
}

TEST_CASE("a metrics.jsonl has the same metrics, and is read where there is no metrics.csv") {
  const TemporaryFolder folder;
  write_file(folder / "metrics.jsonl",
             "{\"epoch\":0,\"step\":4,\"time_s\":1.5,\"a\":1,\"b\":\"nan\"}\n"
             "{\"epoch\":1,\"step\":5,\"time_s\":2.5,\"b\":0.30000000000000004}\n"
             "no object\n{\"epoch\":1,\"step\":6}\n{\"epoch\":1,\"step\":7,\"time_s\":3.5,\"a\":2");
  const Metrics metrics = read_metrics(folder.path());
  CHECK(metrics.epochs == std::vector<int64_t>{0, 1});
  CHECK(metrics.steps == std::vector<int64_t>{4, 5});
  CHECK(metrics.seconds == Values{1.5, 2.5});
  CHECK(metrics.find("a")->rows == Rows{0});
  REQUIRE(metrics.find("b"));
  REQUIRE(metrics.find("b")->rows == Rows{0, 1});
  CHECK(std::isnan(metrics.find("b")->values[0]));
  CHECK(metrics.find("b")->values[1] == 0.1 + 0.2);
  CHECK(metrics.bad_lines == 2);
  write_file(folder / "metrics.csv", kFewMetrics);
  CHECK(read_metrics(folder.path()).rows() == 4);
}

TEST_CASE("another CSV file is refused by its path") {
  const TemporaryFolder folder;
  write_file(folder / "metrics.csv", "time,loss\n1,2\n");
  CHECK_THROWS_WITH(
      read_metrics(folder.path()),
      (folder / "metrics.csv").string() +
          ": is no metrics.csv of lightrun: its first line does not begin with epoch,step,time_s");
}
