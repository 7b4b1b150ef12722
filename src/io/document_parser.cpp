// Values straight from the events of yaml-cpp's parser, so that limits hold while it parses. (Its
// own LoadAll never ends on some texts with something after the first document.)
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "io/document.h"
#include "io/document_parts.h"
#include "io/document_text.h"
#include "io/json_parser.h"

namespace phaze::io {
namespace {

std::string too_deep() { return "nested deeper than " + std::to_string(kMaxDepth) + " values"; }

std::size_t count_values(const Value& value) {
  std::size_t count = 1;
  for (const Value& item : value.items) {
    count += count_values(item);
  }
  for (const Member& member : value.members) {
    count += count_values(member.second);
  }
  return count;
}

std::size_t depth_of(const Value& value) {
  std::size_t depth = 0;
  for (const Value& item : value.items) {
    depth = std::max(depth, depth_of(item));
  }
  for (const Member& member : value.members) {
    depth = std::max(depth, depth_of(member.second));
  }
  return depth + 1;
}

// Ends the parser; what was wrong has been reported.
struct Stop {};

class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& source, std::size_t text_bytes, Diagnostics& diagnostics)
      : source_(source), most_(std::min(kMaxValues, text_bytes + 1)), diagnostics_(diagnostics) {}

  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    deliver(start(mark, "", 1), anchor, false);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value = start(mark, tag, 1);
    value.text = text;
    value.kind = ValueKind::kText;
    const bool is_quoted = tag == "!";
    if (!is_quoted) {
      read_plain(value);
    }
    deliver(std::move(value), anchor, is_quoted);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(at(mark), "an alias stands within its own value");
    }
    Value copy = start(mark, "", found->second.count);
    const std::string path = copy.where.key;
    if (frames_.size() + found->second.depth > kMaxDepth + 1) {
      fail(at(mark), too_deep());
    }
    copy = found->second.value;
    relocate(copy, path);
    deliver(std::move(copy), YAML::NullAnchor, found->second.is_quoted);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, ValueKind::kList);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, ValueKind::kMap);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  // A list or map whose end has not come yet.
  struct Frame {
    Value value;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool has_key = false;  // of a map: the next value belongs to `key`
    bool is_dropped = false;
    std::string key;
    std::set<std::string> seen;
  };
  struct Anchored {
    Value value;
    std::size_t count, depth;
    bool is_quoted;
  };

  Location at(const YAML::Mark& mark, std::string key = "") const {
    return {source_, mark.line + 1, mark.column + 1, std::move(key)};
  }

  [[noreturn]] void fail(const Location& where, const std::string& message) {
    diagnostics_.error(where, message);
    throw Stop();
  }

  // Where the next value belongs.
  std::string next_path() const {
    if (frames_.empty()) {
      return "";
    }
    const Frame& frame = frames_.back();
    if (frame.value.kind == ValueKind::kList) {
      return item_path(frame.value, frame.value.items.size());
    }
    return frame.has_key ? member_path(frame.value, frame.key) : frame.value.where.key;
  }

  Value start(const YAML::Mark& mark, const std::string& tag, std::size_t count) {
    Value value;
    value.where = at(mark, next_path());
    if (frames_.size() > kMaxDepth) {
      fail(at(mark), too_deep());
    }
    reserve(value.where, count);
    if (!tag.empty() && tag != "?" && tag != "!") {
      diagnostics_.error(value.where, "YAML tags are not supported, found " + tag);
    }
    return value;
  }

  void reserve(const Location& where, std::size_t count) {
    count_ += count;
    if (count_ > most_) {  // without aliases a text of n bytes holds at most n values
      fail({source_, where.line, where.column, ""},
           count_ > kMaxValues ? too_many_values()
                               : "its aliases repeat more than the whole text holds");
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, ValueKind kind) {
    Frame frame;
    frame.value = start(mark, tag, 1);
    frame.value.kind = kind;
    frame.anchor = anchor;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    deliver(std::move(frame.value), frame.anchor, false);
  }

  // Puts a complete value where it belongs.
  void deliver(Value value, YAML::anchor_t anchor, bool is_quoted) {
    if (anchor != YAML::NullAnchor) {
      const std::size_t count = count_values(value);
      reserve(value.where, count);
      anchors_[anchor] = {value, count, depth_of(value), is_quoted};
    }
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.value.kind == ValueKind::kList) {
      frame.value.items.push_back(std::move(value));
    } else if (!frame.has_key) {
      take_key(frame, value, is_quoted);
    } else {
      if (!frame.is_dropped) {
        frame.value.members.push_back({frame.key, std::move(value)});
      }
      frame.has_key = false;
    }
  }

  void take_key(Frame& frame, const Value& key, bool is_quoted) {
    --count_;  // a key is no value
    frame.has_key = true;
    frame.is_dropped = true;
    frame.key = key.text;
    const bool is_text =
        key.kind != ValueKind::kNull && key.kind != ValueKind::kList && key.kind != ValueKind::kMap;
    if (!is_text) {
      diagnostics_.error(key.where, "expected a key that is text");
    } else if (key.text == "<<" && !is_quoted) {
      diagnostics_.error(key.where, "merge keys (<<) are not supported; write the values out");
    } else if (!frame.seen.insert(key.text).second) {
      Location where = key.where;
      where.key = member_path(frame.value, key.text);
      diagnostics_.error(where, "this key is given twice");
    } else {
      frame.is_dropped = false;
    }
  }

  static void relocate(Value& value, const std::string& path) {
    value.where.key = path;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      relocate(value.items[i], item_path(value, i));
    }
    for (Member& member : value.members) {
      relocate(member.second, member_path(value, member.first));
    }
  }

  const std::string& source_;
  std::size_t most_;
  Diagnostics& diagnostics_;
  std::size_t count_ = 0;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Value root_;
};

// Only sees that there is something, and where.
class Witness : public YAML::EventHandler {
 public:
  Witness(const std::string& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  void OnDocumentStart(const YAML::Mark& mark) override { fail(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    fail(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    fail(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    fail(mark);
  }
  void OnMapEnd() override {}

 private:
  void fail(const YAML::Mark& mark) {
    diagnostics_.error({source_, mark.line + 1, mark.column + 1, ""},
                       "expected one document, found another");
    throw Stop();
  }

  const std::string& source_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Value> parse_document(std::string_view text, const std::string& source,
                                    Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  if (!check_text(text, source, diagnostics)) {
    return std::nullopt;
  }
  if (std::optional<Value> value = parse_plain_json(text, source)) {
    return value;
  }
  try {
    std::istringstream stream(as_yaml(text));
    YAML::Parser parser(stream);
    Builder builder(source, text.size(), diagnostics);
    if (!parser.HandleNextDocument(builder)) {
      diagnostics.error({source, 0, 0, ""}, "is empty");
      return std::nullopt;
    }
    Witness witness(source, diagnostics);
    parser.HandleNextDocument(witness);
    if (diagnostics.error_count() > before) {
      return std::nullopt;
    }
    return builder.take();
  } catch (const Stop&) {
    return std::nullopt;
  } catch (const YAML::DeepRecursion& problem) {
    diagnostics.error({source, problem.mark.line + 1, problem.mark.column + 1, ""}, too_deep());
    return std::nullopt;
  } catch (const YAML::Exception& problem) {
    diagnostics.error({source, problem.mark.line + 1, problem.mark.column + 1, ""},
                      "not valid JSON or YAML: " + problem.msg);
    return std::nullopt;
  }
}

}  // namespace phaze::io
