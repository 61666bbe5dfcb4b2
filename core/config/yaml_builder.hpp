#pragma once

#include "config/source_text.hpp"
#include "config/value.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lightrun::config {

/// Ends the reading of a document that cannot be a config: too deep, too large, or with an alias inside
/// itself.
struct YamlStop {
  Problem problem;
};

/// Makes a Value of yaml-cpp's events. Every key and value gets its place; an alias becomes a copy at its
/// place of use, a `<<` the entries it names. What is wrong but leaves a usable tree (a duplicate key, a
/// missing environment variable) goes to `problems`; what does not is thrown as YamlStop, out of yaml-cpp's
/// parser.
class YamlBuilder : public YAML::EventHandler {
 public:
  YamlBuilder(const SourceText& source, std::vector<Problem>& problems)
      : source_(source), problems_(problems) {}

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override;
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

  [[nodiscard]] Value take_root() { return std::move(root_); }

  /// Where the last quoted scalar begins (with its anchor and tag, if any).
  [[nodiscard]] std::optional<std::size_t> last_quoted() const { return last_quoted_; }

  /// The innermost list or map that was opened with `bracket` and is still open.
  struct Open {
    Mark mark;
    std::string path;
  };
  [[nodiscard]] std::optional<Open> innermost_open(char bracket) const;

 private:
  struct Frame {
    Value value;
    YAML::anchor_t anchor = 0;
    std::size_t offset = 0;        ///< where it begins in the text
    std::size_t nodes_before = 0;  ///< counted when it began
    bool has_key = false;
    bool skip_value = false;  ///< of a bad or second key
    bool merge_value = false;
    std::string key;
    Mark key_mark;
    std::unordered_map<std::string, Mark> keys;
    std::vector<Value> merges;
  };
  struct Anchored {
    Value value;
    std::size_t nodes = 1;
  };

  [[nodiscard]] Mark place(const YAML::Mark& mark) const;
  [[nodiscard]] std::string path(std::size_t depth) const;
  [[nodiscard]] std::string path() const { return path(frames_.size()); }
  [[nodiscard]] bool wants_key() const;
  void report(const Mark& mark, std::string text);

  void count(std::size_t nodes, const Mark& mark);
  void check_tag(const YAML::Mark& mark, const std::string& tag, bool scalar);
  void note_anchor(YAML::anchor_t anchor);

  void open(Value::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor);
  void close();
  void add(Value value, bool plain_scalar);
  void add_key(const Value& key, bool plain_scalar);
  void add_value(Value value);
  void keep(YAML::anchor_t anchor, const Value& value, std::size_t nodes);
  void merge(Frame& frame, const Value& from);

  const SourceText& source_;
  std::vector<Problem>& problems_;
  std::vector<Frame> frames_;
  Value root_;
  std::size_t nodes_ = 0;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::set<YAML::anchor_t> used_;
  YAML::anchor_t last_anchor_ = 0;
  /// For each entry of the top level: the anchors inside it, which yaml-cpp numbers in order: (first,
  /// second].
  std::vector<std::pair<YAML::anchor_t, YAML::anchor_t>> top_anchors_;
  YAML::anchor_t anchors_before_entry_ = 0;
  std::optional<std::size_t> last_quoted_;
};

}  // namespace lightrun::config
