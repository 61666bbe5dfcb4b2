#include "config/yaml_builder.hpp"

#include "config/interpolate.hpp"
#include "config/scalar.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

namespace lightrun::config {

namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kMostNodes = 100'000;  // thirty levels of ten aliases each would be 10^30
constexpr std::string_view kMergeKey = "<<";
constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

}  // namespace

void YamlBuilder::OnDocumentStart(const YAML::Mark& /*mark*/) {}

void YamlBuilder::OnDocumentEnd() {
  for (std::size_t i = 0; i < top_anchors_.size() && i < root_.entries.size(); ++i) {
    const auto [first, last] = top_anchors_[i];
    const auto used = used_.upper_bound(first);
    root_.entries[i].value.holds_anchor = used != used_.end() && *used <= last;
  }
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Value value;
  value.mark = place(mark);
  count(1, value.mark);
  keep(anchor, value, 1);
  add(std::move(value), false);
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto anchored = anchors_.find(anchor);
  if (anchored == anchors_.end()) {
    throw YamlStop{{place(mark), path(), "an alias inside what it stands for"}};
  }
  count(anchored->second.nodes, place(mark));
  used_.insert(anchor);
  Value copy = anchored->second.value;
  copy.mark = place(mark);
  add(std::move(copy), false);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& read) {
  const std::string value = show_interpolations(read);
  check_tag(mark, tag, true);
  if (tag != "?")
    last_quoted_ = source_.offset(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
  Value scalar = Value::plain(value);
  scalar.mark = place(mark);
  scalar.quoted = tag == "!" || tag == std::string(kCoreTag) + "str";
  count(1, scalar.mark);
  // The file itself is UTF-8: only yaml-cpp's reading of these two escapes is not.
  if (support::invalid_utf8(value))
    report(scalar.mark, "write the escapes \\N and \\_ as \\u0085 and \\u00a0");
  if (!wants_key()) {
    auto [text, error] = interpolate(value);
    if (!error.empty()) {
      report(scalar.mark, error);
    } else {
      scalar.text = std::move(text);
    }
    if (!scalar.quoted && reads_as_null(scalar.text)) scalar.kind = Value::Kind::null;
  }
  keep(anchor, scalar, 1);
  add(std::move(scalar), !scalar.quoted);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value /*style*/) {
  check_tag(mark, tag, false);
  open(Value::Kind::list, mark, anchor);
}

void YamlBuilder::OnSequenceEnd() {
  close();
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value /*style*/) {
  check_tag(mark, tag, false);
  open(Value::Kind::map, mark, anchor);
}

void YamlBuilder::OnMapEnd() {
  Frame& frame = frames_.back();
  for (const Value& from : std::exchange(frame.merges, {})) merge(frame, from);
  close();
}

std::optional<YamlBuilder::Open> YamlBuilder::innermost_open(char bracket) const {
  for (std::size_t depth = frames_.size(); depth-- > 0;) {
    const std::size_t at = frames_[depth].offset;
    if (at < source_.text().size() && source_.text()[at] == bracket) {
      return Open{frames_[depth].value.mark, path(depth)};
    }
  }
  return std::nullopt;
}

Mark YamlBuilder::place(const YAML::Mark& mark) const {
  return source_.mark(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
}

std::string YamlBuilder::path(std::size_t depth) const {
  std::string path;
  for (std::size_t i = 0; i < depth; ++i) {
    const Frame& frame = frames_[i];
    if (frame.value.kind == Value::Kind::list) {
      path = dotted(path, std::to_string(frame.value.items.size()));
    } else if (frame.has_key) {
      path = dotted(path, frame.key);
    }
  }
  return path;
}

bool YamlBuilder::wants_key() const {
  return !frames_.empty() && frames_.back().value.kind == Value::Kind::map && !frames_.back().has_key;
}

void YamlBuilder::report(const Mark& mark, std::string text) {
  problems_.push_back({mark, path(), std::move(text)});
}

void YamlBuilder::count(std::size_t nodes, const Mark& mark) {
  nodes_ += nodes;
  if (nodes_ > kMostNodes) {
    throw YamlStop{{mark, path(), fmt::format("more than {} values, aliases counted", kMostNodes)}};
  }
}

void YamlBuilder::check_tag(const YAML::Mark& mark, const std::string& tag, bool scalar) {
  if (tag == "?" || tag == "!") return;
  for (const char* known : {"str", "int", "float", "bool", "null"}) {
    if (scalar && tag == std::string(kCoreTag) + known) return;
  }
  for (const char* known : {"seq", "map"}) {
    if (!scalar && tag == std::string(kCoreTag) + known) return;
  }
  report(place(mark), fmt::format("the tag {} means nothing here", tag));
}

void YamlBuilder::note_anchor(YAML::anchor_t anchor) {
  last_anchor_ = std::max(last_anchor_, anchor);
}

void YamlBuilder::open(Value::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (frames_.size() >= kDeepest) {
    throw YamlStop{{place(mark), "", fmt::format("nested more than {} levels deep", kDeepest)}};
  }
  note_anchor(anchor);
  Frame frame;
  frame.value.kind = kind;
  frame.value.mark = place(mark);
  frame.anchor = anchor;
  frame.offset = source_.offset(static_cast<std::size_t>(mark.line), static_cast<std::size_t>(mark.column));
  frame.nodes_before = nodes_;
  count(1, frame.value.mark);
  frames_.push_back(std::move(frame));
}

void YamlBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  keep(frame.anchor, frame.value, nodes_ - frame.nodes_before);
  add(std::move(frame.value), false);
}

void YamlBuilder::keep(YAML::anchor_t anchor, const Value& value, std::size_t nodes) {
  if (anchor == 0) return;
  note_anchor(anchor);
  anchors_[anchor] = {value, nodes};
}

void YamlBuilder::add(Value value, bool plain_scalar) {
  if (frames_.empty()) {
    root_ = std::move(value);
  } else if (frames_.back().value.kind == Value::Kind::list) {
    frames_.back().value.items.push_back(std::move(value));
  } else if (wants_key()) {
    add_key(value, plain_scalar);
  } else {
    add_value(std::move(value));
  }
}

void YamlBuilder::add_key(const Value& key, bool plain_scalar) {
  Frame& frame = frames_.back();
  frame.skip_value = false;
  frame.merge_value = plain_scalar && key.text == kMergeKey;
  if (frames_.size() == 1) anchors_before_entry_ = last_anchor_;
  if (key.kind != Value::Kind::scalar) {
    report(key.mark, fmt::format("a key must be text, not {}", key.shown()));
    frame.skip_value = true;
  }
  frame.has_key = true;
  frame.key = key.text;
  frame.key_mark = key.mark;
  if (frame.skip_value) return;
  const auto [first, is_new] = frame.keys.emplace(key.text, key.mark);
  if (is_new) return;
  report(key.mark, given_twice(first->second, key.mark));
  frame.skip_value = true;
}

void YamlBuilder::add_value(Value value) {
  Frame& frame = frames_.back();
  // yaml-cpp places an empty value on the line after it.
  if (value.kind == Value::Kind::null) value.mark = frame.key_mark;
  if (frame.skip_value) {
    // reported at its key
  } else if (frame.merge_value) {
    frame.merges.push_back(std::move(value));
  } else {
    frame.value.entries.push_back({frame.key, frame.key_mark, std::move(value)});
    if (frames_.size() == 1) top_anchors_.emplace_back(anchors_before_entry_, last_anchor_);
  }
  frame.has_key = false;
}

void YamlBuilder::merge(Frame& frame, const Value& from) {
  if (from.kind == Value::Kind::list) {
    for (const Value& item : from.items) {
      if (item.kind == Value::Kind::map) {
        merge(frame, item);
      } else {
        report(item.mark, fmt::format("<< takes maps, not {}", item.shown()));
      }
    }
    return;
  }
  if (from.kind != Value::Kind::map) {
    report(from.mark, fmt::format("<< takes a map or a list of maps, not {}", from.shown()));
    return;
  }
  for (const Value::Entry& entry : from.entries) {
    if (frame.keys.emplace(entry.key, entry.mark).second) frame.value.entries.push_back(entry);
  }
}

}  // namespace lightrun::config
