#include "e2e/lightrun_process.hpp"
#include "report/browser.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

using namespace lightrun::tests;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Two short runs of the digits, at different rates.
void train_two(const TemporaryFolder& folder) {
  for (const char* rate : {"--optimizer.lr=5e-3", "--optimizer.lr=1e-3"}) {
    const Outcome outcome = run_lightrun(
        folder, {"train", shipped_config("digits.yaml"), "--max_epochs=3", "--log_every_n_steps=1", rate});
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
  }
}

/// The data block of a report.
json data_in(const std::string& page) {
  const std::string before = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(before) + before.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// A column of metrics.csv without its empty cells.
std::vector<double> column(const fs::path& run, const std::string& name) {
  std::vector<double> values;
  for (const auto& row : read_csv(run / "metrics.csv"))
    if (!row.at(name).empty()) values.push_back(std::stod(row.at(name)));
  return values;
}

}  // namespace

TEST_CASE("a report has the numbers of metrics.csv, digit for digit, in the file and in the browser") {
  const TemporaryFolder folder;
  train_two(folder);
  const Outcome outcome = run_lightrun(folder, {"report", "runs/digits/0", "runs/digits/latest"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.starts_with("report.html: 2 runs"));
  const std::string page = read_file(folder / "report.html");
  const json data = data_in(page);
  REQUIRE(data["runs"].size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const json& run = data["runs"][i];
    CHECK(run["name"] == "digits/" + std::to_string(i));
    for (const json& series : run["series"]) {
      const std::string name = series["name"].get<std::string>();
      CAPTURE(name);
      if (name != "samples/s")
        CHECK(series["values"].get<std::vector<double>>() ==
              column(folder / run["folder"].get<std::string>(), name));
    }
  }
  REQUIRE(data["config_difference"].size() == 1);
  CHECK(data["config_difference"][0] == json{{"path", "optimizer.lr"}, {"values", {"0.005", "0.001"}}});

  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  const std::string dom = rendered(*chromium, page);
  for (const char* number : {"0", "1"}) {
    const std::string name = std::string("digits/") + number;
    for (const char* metric : {"train_loss", "val_loss", "val_acc"}) {
      CAPTURE(name, metric);
      const std::vector<double> wanted = column(folder / "runs" / name, metric);
      CHECK(std::stod(value_in_table(dom, name, metric, "final")) == wanted.back());
      const std::vector<double> drawn = values_on_page(drawn_curve(dom, name, metric));
      REQUIRE(drawn.size() == 2 * wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i)
        CHECK(drawn[2 * i + 1] == Approx(wanted[i]).margin(0.002));
    }
  }
  CHECK(dom.find("data-checkpoint=\"best.ckpt\"") != std::string::npos);
}

TEST_CASE("a report of one run is in its folder, knows its checkpoints and is replaced by the next one") {
  const TemporaryFolder folder;
  REQUIRE(run_lightrun(folder, {"train", shipped_config("digits.yaml"), "--max_epochs=2"}).exit_code == 0);
  REQUIRE(run_lightrun(folder, {"report", "runs/digits"}).exit_code == 0);
  REQUIRE(run_lightrun(folder, {"report", "runs/digits/latest"}).exit_code == 0);
  const json run = data_in(read_file(folder / "runs/digits/0/report.html"))["runs"][0];
  CHECK(run["name"] == "digits/0");
  CHECK(run["model"] == "digits");
  REQUIRE(run["checkpoints"].size() == 2);
  for (const json& checkpoint : run["checkpoints"])
    CHECK(checkpoint["best"] == (checkpoint["file"] == "best.ckpt"));
  CHECK(run["problems"].empty());
}

TEST_CASE("report says what is wrong with what it was given") {
  const TemporaryFolder folder;
  const Outcome none = run_lightrun(folder, {"report"});
  CHECK(none.exit_code == 2);
  const Outcome missing = run_lightrun(folder, {"report", "runs/digits/0"});
  CHECK(missing.exit_code == 5);
  CHECK(missing.err == "runs/digits/0: there is no such folder; a run's is like runs/digits/0\n");
  fs::create_directory(folder / "7");
  write_file(folder / "7/config.yaml", "seed: 1\n");
  write_file(folder / "mine.html", "mine");
  const Outcome refused = run_lightrun(folder, {"report", "7", "--out", "mine.html"});
  CHECK(refused.exit_code == 5);
  CHECK(refused.err ==
        "mine.html: is there already and is no report of lightrun; --out names another file\n");
  CHECK(read_file(folder / "mine.html") == "mine");
}
