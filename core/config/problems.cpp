#include "config/problems.hpp"

#include <lightrun/error.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace lightrun::config {

void throw_if_any(std::vector<Problem> problems, const std::vector<std::string>& files) {
  if (problems.empty()) return;
  // Without a config that much is missing; a flag that is not taken is why one asks for nothing.
  const bool any_flag =
      std::ranges::any_of(problems, [](const Problem& problem) { return problem.mark.is_flag(); });
  if (files.empty() && any_flag)
    std::erase_if(problems, [](const Problem& problem) { return !problem.mark.is_flag(); });
  const auto place = [&](const Problem& problem) {
    const auto file = std::find(files.begin(), files.end(), problem.mark.file) - files.begin();
    return std::tuple(problem.mark.is_flag(), file, problem.mark.line, problem.mark.column);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return place(a) < place(b); });
  // What is wrong in itself (an environment variable that is not set) is wrong for its setting, too, which
  // may have been found under another section then: once is enough.
  std::set<std::tuple<std::string, int, int, std::string>> said;
  std::erase_if(problems, [&](const Problem& problem) {
    const Mark& mark = problem.mark;
    const std::string name = problem.path.substr(problem.path.rfind('.') + 1);
    return !name.empty() && !said.emplace(mark.file, mark.line, mark.column, name).second;
  });
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.message();
  }
  if (problems.back().mark.is_flag()) throw UsageError(text);
  throw ConfigError(text);
}

}  // namespace lightrun::config
