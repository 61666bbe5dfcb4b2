#include "report/page.hpp"

#include "report/run_folders.hpp"
#include "support/catch.hpp"

#include <lightrun/error.hpp>

#include <limits>

using namespace lightrun;
using namespace lightrun::report;
using namespace lightrun::tests;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const json& series_called(const json& run, const std::string& name) {
  for (const json& series : run["series"])
    if (series["name"] == name) return series;
  throw std::runtime_error("no series " + name);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the page's data has every row, and the rows of what was logged now and then") {
  const json page = data_of(run_of(kFewMetrics));
  const json& run = page["runs"][0];
  CHECK(run["step"] == json{0, 1, 2, 3});
  CHECK(run["epoch"] == json{0, 0, 1, 1});
  CHECK(run["time"] == json{0.5, 1.0, 2.0, 3.0});
  CHECK_FALSE(series_called(run, "train_loss").contains("rows"));
  CHECK(series_called(run, "train_loss")["values"] == json{4.0, 2.0, 1.0, 0.1});
  CHECK(series_called(run, "val_loss")["rows"] == json{1, 3});
  CHECK(series_called(run, "steps/s")["values"] == json{2.0, 1.0, 1.0});
  CHECK(page["charts"][0]["title"] == "loss");
  CHECK(page["throughput_unit"] == "steps/s");
}

TEST_CASE("numbers come back from the page with the same bits") {
  const json run =
      data_of(run_of("epoch,step,time_s,a\n0,0,1,0.1\n0,1,2,0.30000000000000004\n0,2,3,5e-324\n"
                     "0,3,4,-1.7976931348623157e308\n0,4,5,nan\n0,5,6,inf\n0,6,7,-inf\n"))["runs"][0];
  const json& values = series_called(run, "a")["values"];
  CHECK(values[0].get<double>() == 0.1);
  CHECK(values[1].get<double>() == 0.1 + 0.2);
  CHECK(values[2].get<double>() == std::numeric_limits<double>::denorm_min());
  CHECK(values[3].get<double>() == std::numeric_limits<double>::lowest());
  CHECK(values[4] == "nan");
  CHECK(values[5] == "inf");
  CHECK(values[6] == "-inf");
}

TEST_CASE("final and best values are of all rows, also where the page has fewer") {
  std::string metrics = "epoch,step,time_s,val_acc\n";
  for (int i = 0; i < 1000; ++i) {
    const std::string step = std::to_string(i);
    metrics.append("0,").append(step).append(",").append(step).append(i == 500 ? ",0.9\n" : ",0.5\n");
  }
  const json run = data_of(run_of(metrics), 30)["runs"][0];
  CHECK(run["rows_in_file"] == 1000);
  CHECK(run["step"].size() <= 32);
  const json& summary = run["summary"][0];
  CHECK(summary["metric"] == "val_acc");
  CHECK(summary["better"] == "higher");
  CHECK(summary["best"] == json{{"value", 0.9}, {"step", 500}, {"epoch", 0}});
  CHECK(summary["final"] == json{{"value", 0.5}, {"step", 999}, {"epoch", 0}});
}

TEST_CASE("throughput is in samples only where all runs know how many there are") {
  RunData knows = run_of(kFewMetrics);
  knows.checkpoints.samples_per_step = 32;
  CHECK(data_of(knows)["throughput_unit"] == "samples/s");
  CHECK(json::parse(page_data({knows, run_of(kFewMetrics)}))["throughput_unit"] == "steps/s");
}

TEST_CASE("what a checkpoint was kept for says what is better, whatever the name says") {
  RunData run = run_of(kFewMetrics);
  run.checkpoints.higher_better["val_loss"] = true;
  const json summary = data_of(run)["runs"][0]["summary"];
  CHECK(summary[1]["metric"] == "val_loss");
  CHECK(summary[1]["best"]["value"] == 3.0);
}

TEST_CASE("no text of a run can end the page's data or begin markup") {
  const std::string bad = "</script><!--<script><img src=x>";
  RunData run = run_of("epoch,step,time_s,\"" + bad + "\"\n0,0,1,2\n");
  run.name = run.folder = run.config = bad;
  run.settings = Settings{{bad, bad}};
  run.log.messages = {{"", "error", bad + "\xff"}};
  run.record = RunRecord{.reason = bad};
  run.problems = {bad};
  const std::string page = page_of({run});
  CHECK(page_data({run}).find('<') == std::string::npos);
  CHECK(json::parse(page_data({run}))["runs"][0]["name"] == bad);
  CHECK(count_of(page, "<img") == 0);
  CHECK(count_of(page, "<!--") == 0);
  CHECK(count_of(page, "</script>") == 2);
  CHECK(page.find("<title>&lt;/script&gt;") != std::string::npos);
}

TEST_CASE("the page asks for nothing from anywhere") {
  const std::string page = page_of({run_of(kFewMetrics)});
  CHECK(page.find("default-src 'none'") != std::string::npos);
  for (const char* part : {"https:", " src=", "@import", "url(", "fetch("}) {
    CAPTURE(part);
    // The one url() there is points to a shape of the page itself.
    CHECK(count_of(page, part) == (std::string(part) == "url(" ? count_of(page, "url(#") : 0));
  }
}

TEST_CASE("a report is replaced, another file is not") {
  const TemporaryFolder folder;
  make_run(folder / "7");
  const fs::path out = folder / "report.html";
  write_report({folder / "7"}, out);
  const std::string first = read_file(out);
  CHECK(first.starts_with("<!doctype html>"));
  make_run(folder / "7", "epoch,step,time_s,other\n0,0,1,2\n");
  write_report({folder / "7"}, out);
  CHECK(read_file(out) != first);
  for (const char* text : {"<!doctype html>\n<html>mine</html>", ""}) {
    write_file(out, text);
    CHECK_THROWS_WITH(
        write_report({folder / "7"}, out),
        out.string() + ": is there already and is no report of lightrun; --out names another file");
    CHECK(read_file(out) == text);
  }
  fs::remove(out);
  fs::create_directory(out);
  CHECK_THROWS_AS(write_report({folder / "7"}, out), RunError);
}

TEST_CASE("runs of one name are told apart by their folders") {
  const TemporaryFolder folder;
  make_run(folder / "a/digits/0");
  make_run(folder / "b/digits/0");
  const std::string page = page_of({read_run(folder / "a/digits/0"), read_run(folder / "b/digits/0")});
  CHECK(page.find("\"name\":\"" + (folder / "a/digits/0").string() + "\"") != std::string::npos);
}
