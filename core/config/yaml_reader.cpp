#include "config/yaml_reader.hpp"

#include "config/interpolate.hpp"
#include "config/source_text.hpp"
#include "config/yaml_builder.hpp"
#include "config/yaml_error.hpp"

#include <yaml-cpp/parser.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace lightrun::config {

namespace {

constexpr std::size_t kLargestFile = 4U << 20;

/// Takes note of where a second document begins.
class SecondDocument : public YamlBuilder {
 public:
  using YamlBuilder::YamlBuilder;
  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  [[nodiscard]] const YAML::Mark& start() const { return start_; }

 private:
  YAML::Mark start_;
};

std::optional<Problem> second_document(YAML::Parser& parser, const SourceText& source) {
  std::vector<Problem> of_no_interest;
  SecondDocument document(source, of_no_interest);
  if (!parser.HandleNextDocument(document)) return std::nullopt;
  const auto line = static_cast<std::size_t>(document.start().line);
  return Problem{source.mark(line, static_cast<std::size_t>(document.start().column)), "",
                 "a second document begins here: a config is one"};
}

/// The whole file, or why it cannot be read.
std::optional<std::string> contents(const std::string& path, std::string& error) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    error = "a folder, not a config file";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::array<char, 16384> part{};
  while (stream && text.size() <= kLargestFile) {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad()) {
    error = fmt::format("cannot be read: {}", std::generic_category().message(errno));
    return std::nullopt;
  }
  if (text.size() <= kLargestFile) return text;
  error = fmt::format("larger than {} MiB: not a config", kLargestFile >> 20U);
  return std::nullopt;
}

void place_all_at(Value& value, const Mark& mark) {
  value.mark = mark;
  for (Value& item : value.items) place_all_at(item, mark);
  for (Value::Entry& entry : value.entries) {
    entry.mark = mark;
    place_all_at(entry.value, mark);
  }
}

}  // namespace

std::optional<Value> read_yaml(std::string_view text, const std::string& file,
                               std::vector<Problem>& problems) {
  const SourceText source(text, file);
  if (const auto problem = source.bad_character()) {
    problems.push_back(*problem);
    return std::nullopt;
  }
  YamlBuilder builder(source, problems);
  std::optional<Problem> fatal;
  try {
    std::istringstream stream{hide_interpolations(text)};
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) {
      fatal = unclosed_quote(source, builder);
      if (!fatal) fatal = second_document(parser, source);
    }
  } catch (const YamlStop& stop) {
    fatal = stop.problem;
  } catch (const YAML::Exception& error) {
    fatal = explain(error, source, builder);
  }
  if (fatal) {
    problems.push_back(*fatal);
    return std::nullopt;
  }
  Value root = builder.take_root();
  if (root.mark.empty()) root.mark = source.mark(0, 0);
  return root;
}

std::optional<Value> read_yaml_file(const std::string& path, std::vector<Problem>& problems) {
  const auto refuse = [&](Mark mark, std::string why) {
    problems.push_back({std::move(mark), "", std::move(why)});
    return std::nullopt;
  };
  std::string error;
  const auto text = contents(path, error);
  if (!text) return refuse({path, 0, 0}, error);
  auto root = read_yaml(*text, path, problems);
  if (!root || root->kind == Value::Kind::map) return root;
  if (root->kind == Value::Kind::null) return refuse({path, 1, 1}, "no settings in this file");
  return refuse(root->mark, fmt::format("expected settings such as 'max_epochs: 3', got {}", root->shown()));
}

std::optional<Value> read_flag_value(std::string_view text, const std::string& flag,
                                     std::vector<Problem>& problems) {
  const Mark mark{flag, 0, 0};
  std::vector<Problem> found;
  auto value = read_yaml(text, flag, found);
  if (value) place_all_at(*value, mark);
  for (const Problem& problem : found) {
    // `{a: 1, a: 2}`: the flag's name alone would not say what is wrong.
    const std::string inside = problem.path.empty() ? "" : fmt::format("{}: ", problem.path);
    problems.push_back({mark, "", inside + problem.text});
  }
  return value;
}

}  // namespace lightrun::config
