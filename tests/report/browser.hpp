#pragma once

#include "support/temporary_folder.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

/// Headless Chromium, which runs a page's script as a reader's browser does.
namespace lightrun::tests {

inline std::optional<std::string> find_chromium() {
  const char* const path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::filesystem::path candidate = std::filesystem::path(folder) / name;
      if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    }
  }
  return std::nullopt;
}

/// What to say where there is none.
inline const char* const kNoChromium = "skipped: chromium is not installed, so no browser has seen the page";

/// The page's elements after its script has run; then `act`, a script of the test, is run too.
inline std::string rendered(const std::string& chromium, const std::string& page,
                            const std::string& act = "") {
  const TemporaryFolder folder;
  std::string acting = page;
  const std::string script = "<script>" + act + "</script></body>";
  if (!act.empty()) acting.replace(acting.rfind("</body>"), 7, script);
  write_file(folder / "page.html", acting);
  const std::string at = folder.path().string();
  const std::string command =
      "timeout 100 '" + chromium +
      "' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir='" + at +
      "/profile' --window-size=1000,900 --virtual-time-budget=3000 --dump-dom 'file://" + at +
      "/page.html' > '" + at + "/dom.html' 2> '" + at + "/err.txt'";
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("chromium has failed: " + read_file(folder / "err.txt"));
  return read_file(folder / "dom.html");
}

/// The value of an attribute in a tag's text, with its entities undone.
inline std::string attribute(const std::string& tag, const std::string& name) {
  const std::string before = " " + name + "=\"";
  const std::size_t begin = tag.find(before);
  if (begin == std::string::npos) return "";
  std::string value = tag.substr(begin + before.size());
  value.resize(value.find('"'));
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}})
    value = std::regex_replace(value, std::regex(entity), character);
  return value;
}

/// All opening tags of that name, with their attributes: "<td class=...>".
inline std::vector<std::string> tags(const std::string& html, const std::string& name) {
  std::vector<std::string> found;
  const std::string begin = "<" + name + " ";
  for (auto at = html.find(begin); at != std::string::npos; at = html.find(begin, at + 1))
    found.push_back(html.substr(at, html.find('>', at) + 1 - at));
  return found;
}

/// The exact text of a value in the table of values: `kind` is final, best, lowest or highest.
inline std::string value_in_table(const std::string& dom, const std::string& run, const std::string& metric,
                                  const std::string& kind) {
  for (auto at = dom.find("<tr data-run="); at != std::string::npos; at = dom.find("<tr data-run=", at + 1)) {
    const std::string row = dom.substr(at, dom.find("</tr>", at) - at);
    if (attribute(row, "data-run") != run || attribute(row, "data-metric") != metric) continue;
    for (const std::string& cell : tags(row, "td"))
      if (attribute(cell, "data-kind") == kind) return attribute(cell, "data-value");
  }
  return "not in the table";
}

/// A curve as it is drawn, with the axes of its chart.
struct DrawnCurve {
  std::string path;             ///< "M40.00,12.50L..."
  std::vector<double> x_scale;  ///< value, value, pixel, pixel
  std::vector<double> y_scale;
};

inline std::vector<double> numbers_in(const std::string& text) {
  static const std::regex kNumber(R"(-?\d+(\.\d+)?(e[-+]?\d+)?)");
  std::vector<double> numbers;
  for (std::sregex_iterator match(text.begin(), text.end(), kNumber), end; match != end; ++match)
    numbers.push_back(std::stod(match->str()));
  return numbers;
}

inline DrawnCurve drawn_curve(const std::string& dom, const std::string& run, const std::string& metric) {
  for (const std::string& tag : tags(dom, "path")) {
    if (attribute(tag, "data-run") != run || attribute(tag, "data-metric") != metric) continue;
    const std::size_t svg = dom.rfind("<svg ", dom.find(tag));
    const std::string axes = dom.substr(svg, dom.find('>', svg) - svg);
    return {attribute(tag, "d"), numbers_in(attribute(axes, "data-x")),
            numbers_in(attribute(axes, "data-y"))};
  }
  throw std::runtime_error("no curve " + metric + " of " + run);
}

/// The values at a curve's points, from where they are on the page (linear axes): x, y, x, y, ...
inline std::vector<double> values_on_page(const DrawnCurve& curve) {
  const auto value = [](const std::vector<double>& scale, double pixel) {
    return scale[0] + (pixel - scale[2]) / (scale[3] - scale[2]) * (scale[1] - scale[0]);
  };
  const std::vector<double> pixels = numbers_in(curve.path);
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < pixels.size(); i += 2) {
    values.push_back(value(curve.x_scale, pixels[i]));
    values.push_back(value(curve.y_scale, pixels[i + 1]));
  }
  return values;
}

}  // namespace lightrun::tests
