#include "report/page.hpp"

#include "report/page_data.hpp"
#include "report/page_parts.hpp"
#include "support/atomic_file.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>

namespace lightrun::report {
namespace {

namespace fs = std::filesystem;

// By its first bytes a page is known as ours.
constexpr std::string_view kBegin =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"generator\" content=\"lightrun report\">\n";

constexpr std::string_view kHead =
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

[[nodiscard]] std::string escaped_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

[[nodiscard]] std::string title_of(const std::vector<RunData>& runs) {
  constexpr std::size_t kMostNames = 4;
  std::string title;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostNames); ++i)
    title += (i == 0 ? "" : ", ") + runs[i].name;
  return title + (runs.size() > kMostNames ? ", ..." : "") + " \u00b7 lightrun";
}

/// Runs of one name are told apart by their folders.
void make_names_unique(std::vector<RunData>& runs) {
  std::vector<std::string> names;
  for (const RunData& run : runs) names.push_back(run.name);
  for (RunData& run : runs)
    if (std::ranges::count(names, run.name) > 1) run.name = run.folder;
}

void refuse_foreign_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return;
  std::string begin(kBegin.size(), '\0');
  if (fs::is_regular_file(status))
    std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin != kBegin) {
    throw RunError(path.string() +
                   ": is there already and is no report of lightrun; --out names another file");
  }
}

}  // namespace

std::string page_of(std::vector<RunData> runs) {
  make_names_unique(runs);
  std::string page(kBegin);
  page += kHead;
  page += "<title>" + escaped_html(title_of(runs)) + "</title>\n<style>\n";
  page += kPageStyle;
  page +=
      "</style>\n</head>\n<body>\n<noscript>This report draws itself with a script, which the browser does "
      "not run.</noscript>\n<main id=\"report\"></main>\n<script type=\"application/json\" id=\"data\">";
  page += page_data(std::move(runs));
  page += "</script>\n<script>\n(() => {\n\"use strict\";\n";
  page += kPageScript;
  page += "})();\n</script>\n</body>\n</html>\n";
  return page;
}

void write_report(const std::vector<fs::path>& folders, const fs::path& out) {
  refuse_foreign_file(out);
  std::vector<RunData> runs;
  for (const fs::path& folder : folders) runs.push_back(read_run(folder));
  support::write_file_atomically(out, page_of(std::move(runs)));
}

}  // namespace lightrun::report
