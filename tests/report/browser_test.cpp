#include "report/browser.hpp"

#include "report/page.hpp"
#include "report/run_folders.hpp"
#include "support/catch.hpp"

using namespace lightrun;
using namespace lightrun::report;
using namespace lightrun::tests;

namespace {

/// Clicks and moves as a reader would.
const std::string kPressLog = "document.querySelector('input[value=log]').click();";
const std::string kPressEpoch = "document.querySelector('input[value=epoch]').click();";
const std::string kPointAtTheMiddle =
    "const plot = document.querySelector('.plot'); const box = plot.getBoundingClientRect();"
    "plot.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width / 2,"
    " clientY: box.top + 50, bubbles: true}));";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a browser draws the curves where their values are") {
  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  const std::string dom = rendered(*chromium, page_of({run_of(kFewMetrics)}));
  const std::vector<double> train = values_on_page(drawn_curve(dom, "x/0", "train_loss"));
  const std::vector<double> wanted = {0, 4, 1, 2, 2, 1, 3, 0.1};
  REQUIRE(train.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(train[i] == Approx(wanted[i]).margin(0.001));
  const std::vector<double> val = values_on_page(drawn_curve(dom, "x/0", "val_loss"));
  REQUIRE(val.size() == 4);
  CHECK(val[1] == Approx(3).margin(0.001));
  CHECK(value_in_table(dom, "x/0", "val_loss", "final") == "2.5");
  CHECK(value_in_table(dom, "x/0", "val_loss", "highest") == "3");
  CHECK(value_in_table(dom, "x/0", "train_loss", "best") == "0.1");
}

TEST_CASE("under the pointer are the exact values, also on other axes") {
  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  const std::string metrics =
      "epoch,step,time_s,train_loss,val_loss\n0,0,1,1,\n0,1,2,0.30000000000000004,7.25\n0,2,3,2,\n";
  const std::string dom =
      rendered(*chromium, page_of({run_of(metrics)}), kPressLog + kPressEpoch + kPointAtTheMiddle);
  const std::string tooltip = dom.substr(dom.find("class=\"tooltip\""));
  CAPTURE(tooltip);
  CHECK(contains(tooltip, "0.30000000000000004"));
  CHECK(contains(tooltip, "7.25"));
  CHECK(contains(tooltip, "step 1 \u00b7 epoch 0 \u00b7 2 s"));
}

TEST_CASE("on a logarithmic axis equal ratios are equal distances, and 0 is left out") {
  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  const std::string metrics = "epoch,step,time_s,loss\n0,0,1,100\n0,1,2,10\n0,2,3,1\n0,3,4,0\n";
  const std::string dom = rendered(*chromium, page_of({run_of(metrics)}), kPressLog);
  const std::vector<double> pixels = numbers_in(drawn_curve(dom, "x/0", "loss").path);
  REQUIRE(pixels.size() == 6);
  CHECK(pixels[3] - pixels[1] == Approx(pixels[5] - pixels[3]).margin(0.05));
  CHECK(pixels[3] - pixels[1] > 20);
}

TEST_CASE("a run that is switched off is not drawn, and comes back") {
  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  const std::string page = page_of({run_of(kFewMetrics, "x/0"), run_of(kFewMetrics, "x/1")});
  const std::string press = "document.querySelector('.run-toggles button').click();";
  CHECK_THROWS(drawn_curve(rendered(*chromium, page, press), "x/0", "train_loss"));
  CHECK_NOTHROW(drawn_curve(rendered(*chromium, page, press), "x/1", "train_loss"));
  CHECK_NOTHROW(drawn_curve(rendered(*chromium, page, press + press), "x/0", "train_loss"));
}

TEST_CASE("of ten thousand values few are drawn, the spike among them") {
  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  std::string metrics = "epoch,step,time_s,loss\n";
  for (int i = 0; i < 10'000; ++i)
    metrics += "0," + std::to_string(i) + "," + std::to_string(i) + (i == 4321 ? ",50\n" : ",1\n");
  const std::string dom = rendered(*chromium, page_of({run_of(metrics)}));
  const std::vector<double> values = values_on_page(drawn_curve(dom, "x/0", "loss"));
  CHECK(values.size() / 2 <= 4000);
  bool has_spike = false;
  for (std::size_t i = 0; i < values.size(); i += 2)
    has_spike = has_spike || (std::abs(values[i] - 4321) < 10 && std::abs(values[i + 1] - 50) < 0.5);
  CHECK(has_spike);
}

TEST_CASE("nothing that a run says becomes markup in the browser") {
  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  const std::string bad = "<img src=x onerror=\"document.title='owned'\">";
  std::string quoted = bad;
  for (std::size_t at = 0; (at = quoted.find('"', at)) != std::string::npos; at += 2)
    quoted.insert(at, 1, '"');
  RunData run = run_of("epoch,step,time_s,\"" + quoted + "\"\n0,0,1,2\n0,1,2,3\n", bad);
  run.config = bad;
  run.settings = Settings{{bad, bad}};
  run.log.messages = {{bad, "error", bad}};
  run.problems = {bad};
  run.record = RunRecord{.command = {bad},
                         .model = bad,
                         .environment = {{bad, bad}},
                         .status = bad,
                         .reason = bad,
                         .profile = {{bad, 1, 1}}};
  run.checkpoints.marks = {{.file = bad, .steps = 1, .is_best = true, .monitor = bad, .value = 1}};
  RunData other = run_of(kFewMetrics);
  other.settings = Settings{{bad, "x"}};
  const std::string dom = rendered(*chromium, page_of({run, other}), kPointAtTheMiddle);
  CHECK(contains(dom, "data-ready=\"true\""));
  CHECK_FALSE(contains(dom, "<img"));
  CHECK_FALSE(contains(dom, "<title>owned"));
  CHECK(contains(dom, "&lt;img src=x"));
}

TEST_CASE("a run without anything to draw has a page too") {
  const auto chromium = find_chromium();
  if (!chromium) {
    WARN(kNoChromium);
    return;
  }
  const std::string empty = rendered(*chromium, page_of({run_of("")}));
  CHECK(contains(empty, "data-ready=\"true\""));
  CHECK(contains(empty, "no metrics to draw"));
  const std::string wild =
      rendered(*chromium, page_of({run_of("epoch,step,time_s,loss\n0,0,0,nan\n0,0,0,inf\n")}));
  CHECK(contains(wild, "data-ready=\"true\""));
  CHECK(contains(wild, "no finite value"));
}
