#include "launch/layout.h"

#include <algorithm>
#include <charconv>

namespace phaze::launch {
namespace {

constexpr std::size_t kMostLetters = 1'000'000;

// Letters and bars with all repetitions written out.
class Expander {
 public:
  Expander(std::string_view text, std::string& why) : text_(text), why_(why) {}

  std::optional<std::string> expand() {
    std::optional<std::string> all = group(0);
    if (all && at_ < text_.size()) {
      why_ = "a closing bracket without an opening one";
      return std::nullopt;
    }
    return all;
  }

 private:
  std::optional<std::string> group(int depth) {
    std::string all;
    while (at_ < text_.size() && text_[at_] != ')') {
      std::string piece;
      const char letter = text_[at_++];
      if (letter == ',' || letter == ' ') {
        continue;
      }
      if (letter == '(' && depth < 10) {
        const std::optional<std::string> inner = group(depth + 1);
        if (!inner) {
          return std::nullopt;
        }
        if (at_ == text_.size()) {
          why_ = "an opening bracket without a closing one";
          return std::nullopt;
        }
        ++at_;
        piece = *inner;
      } else if (letter == 'E' || letter == 't' || letter == 'L' || letter == '|') {
        piece = letter;
      } else {
        why_ = std::string("expected E, t, L, | or a bracket, found \"") + letter + "\"";
        return std::nullopt;
      }
      const std::optional<std::size_t> times = repetitions();
      if (!times || piece.size() * *times + all.size() > kMostLetters) {
        why_ = times ? "more than a million layers" : "expected a number after *";
        return std::nullopt;
      }
      for (std::size_t i = 0; i < *times; ++i) {
        all += piece;
      }
    }
    return all;
  }

  std::optional<std::size_t> repetitions() {
    if (at_ == text_.size() || text_[at_] != '*') {
      return 1;
    }
    std::size_t times = 0;
    const char* begin = text_.data() + at_ + 1;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), times);
    if (error != std::errc() || end == begin || times > kMostLetters) {
      return std::nullopt;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return times;
  }

  std::string_view text_;
  std::string& why_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<StageShape> shapes_of(const plan::PlanRecord& record) {
  std::vector<StageShape> shapes;
  for (const plan::PlanStage& stage : record.plan.stages) {
    StageShape& shape = shapes.emplace_back();
    for (const plan::StageLayers& run : stage.layers) {
      const std::string& name = record.layers[run.layer];
      if (name == "embedding") {
        shape.has_embedding = true;
      } else if (name == "head") {
        shape.has_head = true;
      } else {
        shape.blocks += run.count;
      }
    }
  }
  const std::int64_t chunks = record.plan.strategy.interleave;
  if (chunks == 1) {
    return shapes;
  }
  // All alike, but for ends where the embedding or the head counts as a layer.
  std::int64_t each = 0;
  for (const StageShape& shape : shapes) {
    each = std::max(each, (shape.blocks + chunks - 1) / chunks);
  }
  std::vector<StageShape> parts(shapes.size() * static_cast<std::size_t>(chunks),
                                {false, each, false});
  parts.front().blocks = shapes.front().blocks - each * (chunks - 1);
  parts.back().blocks = shapes.back().blocks - each * (chunks - 1);
  parts.front().has_embedding = shapes.front().has_embedding;
  parts.back().has_head = shapes.back().has_head;
  return parts;
}

std::optional<std::vector<StageShape>> even_shapes(std::int64_t blocks, std::int64_t parts) {
  if (parts < 1 || blocks % parts != 0) {
    return std::nullopt;
  }
  std::vector<StageShape> shapes(static_cast<std::size_t>(parts), {false, blocks / parts, false});
  shapes.front().has_embedding = true;
  shapes.back().has_head = true;
  return shapes;
}

std::string write_layout(const std::vector<StageShape>& shapes) {
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const StageShape& shape = shapes[i];
    text += i == 0 ? "" : "|";
    text += shape.has_embedding ? "E" : "";
    if (shape.blocks > 0) {
      text += shape.blocks == 1 ? "t" : "t*" + std::to_string(shape.blocks);
    }
    text += shape.has_head ? "L" : "";
  }
  return text;
}

std::optional<std::vector<StageShape>> parse_layout(std::string_view text, std::string& why) {
  const std::optional<std::string> letters = Expander(text, why).expand();
  if (!letters) {
    return std::nullopt;
  }
  std::vector<StageShape> shapes(1);
  for (const char letter : *letters) {
    StageShape& shape = shapes.back();
    if (letter == '|') {
      shapes.emplace_back();
    } else if (letter == 't') {
      ++shape.blocks;
    } else if (letter == 'E') {
      shape.has_embedding = true;
    } else {
      shape.has_head = true;
    }
  }
  const auto count = [&letters](char letter) { return std::ranges::count(*letters, letter); };
  if (!shapes.front().has_embedding || count('E') != 1 || !shapes.back().has_head ||
      count('L') != 1) {
    why = "expected one E in the first stage and one L in the last";
    return std::nullopt;
  }
  return shapes;
}

}  // namespace phaze::launch
