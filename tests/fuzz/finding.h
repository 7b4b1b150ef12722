#pragma once
// What the fuzzers share.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "graph/layer.h"
#include "graph/verify.h"
#include "io/document.h"
#include "io/graph_json.h"

namespace phaze::fuzz {

// Longer inputs say nothing new and take longer.
inline constexpr std::size_t kLongestInput = std::size_t{1} << 16;

// Ends the process so that the input is kept.
inline void expect(bool condition, const std::string& what) {
  if (!condition) {
    std::fprintf(stderr, "finding: %s\n", what.c_str());
    std::abort();
  }
}

// A reader gives a value, or nothing and says why.
inline void expect_reasons(bool has_value, const Diagnostics& diagnostics) {
  expect(has_value != diagnostics.has_errors(),
         has_value ? "a value in spite of errors: " + to_string(diagnostics)
                   : "neither a value nor an error");
}

inline void expect_valid(const graph::Model& model) {
  for (const graph::Layer& layer : model.layers) {
    for (const graph::Fault& fault : graph::verify(layer)) {
      expect(false, layer.name + ": " +
                        (fault.op ? layer.operators[*fault.op].name + ": " : std::string()) +
                        fault.message);
    }
  }
}

// Choices that differ from input to input and are the same for the same input (FNV-1a).
class Choices {
 public:
  explicit Choices(std::string_view text) {
    for (const char c : text) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
  }
  bool flip() { return pick(2) == 1; }
  std::uint64_t pick(std::uint64_t below) {
    const std::uint64_t choice = (state_ >> 20U) % below;
    state_ = (state_ ^ 0x9EU) * 1099511628211U;
    return choice;
  }

 private:
  std::uint64_t state_ = 14695981039346656037U;
};

// What was written reads back as the same graph, and writes the same bytes again.
inline void expect_round_trip(const graph::Model& model) {
  const std::string text = io::write_graph(model);
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "written", diagnostics);
  expect(document.has_value(), "what was written cannot be parsed: " + to_string(diagnostics));
  const auto again = io::read_graph(*document, model.name, diagnostics);
  expect(again.has_value(), "what was written cannot be read: " + to_string(diagnostics));
  expect(*again == model, "what was written reads as another graph");
  expect(io::write_graph(*again) == text, "what was read is written differently");
}

}  // namespace phaze::fuzz
