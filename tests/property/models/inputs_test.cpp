// Wrong and absurd inputs: a diagnostic or a graph, never an exception.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cctype>

#include "graph/training.h"
#include "io/graph_json.h"
#include "models/config.h"
#include "report/graph_report.h"
#include "support/configs.h"
#include "support/documents.h"
#include "support/generators.h"

namespace phaze::models {
namespace {

// The lines of a configuration, each with its key.
std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

bool is_number(const std::string& line) {
  const std::size_t at = line.find(": ") + 2;
  return at < line.size() && (std::isdigit(static_cast<unsigned char>(line[at])) != 0);
}

// One number of a good file spoilt: the fault is reported at that line, under that key.
RC_GTEST_PROP(InputsProperty, ASpoiltNumberIsReportedAtItsPlace, ()) {
  std::vector<std::string> lines = split_lines(*tests::any_config());
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_number(lines[i]) && !lines[i].starts_with("num_labels") &&
        !lines[i].starts_with("encoder_stride")) {  // read for some architectures only
      numbers.push_back(i);
    }
  }
  const std::size_t at = *rc::gen::elementOf(numbers);
  const std::string key = lines[at].substr(0, lines[at].find(':'));
  lines[at] = key + ": " +
              *rc::gen::element<std::string>("-1", "\"8\"", "true", "[8]", "much", "1e300",
                                             "99999999999999999999", "-0.5");
  const std::vector<std::string> faults = tests::config_faults(tests::joined(lines));
  RC_LOG() << tests::joined(lines) << tests::joined(faults);
  RC_ASSERT(!faults.empty());
  const std::string place = "test.yaml:" + std::to_string(at + 1) + ":" +
                            std::to_string(key.size() + 3) + ": error: " + key + ": expected ";
  RC_ASSERT(
      std::ranges::any_of(faults, [&](const std::string& f) { return f.starts_with(place); }));
}

std::string any_size() {
  const auto power = *rc::gen::inRange(0, 31);
  return std::to_string((std::int64_t{1} << power) - *rc::gen::inRange(0, 2));
}

// Each size anything up to 2^30: read or refused, built or refused, and what is built can be
// written and reported.
RC_GTEST_PROP(InputsProperty, AbsurdSizesAreRefusedNotThrown, ()) {
  std::vector<std::string> lines = split_lines(*tests::any_config());
  for (std::string& line : lines) {
    if (is_number(line) && *rc::gen::inRange(0, 3) == 0) {
      line = line.substr(0, line.find(": ") + 2) + any_size();
    }
  }
  Diagnostics diagnostics;
  const std::optional<ModelSpec> spec =
      read_config(tests::parse(tests::joined(lines)), diagnostics);
  RC_ASSERT(spec.has_value() != diagnostics.has_errors());
  if (!spec) {
    return;
  }
  BuildOptions options = *tests::options_for(*spec);
  options.microbatch = std::int64_t{1} << *rc::gen::inRange(0, 31);
  if (*rc::gen::arbitrary<bool>() && spec->embedding.channels == 0) {
    options.sequence = std::int64_t{1} << *rc::gen::inRange(0, 31);
    options.sequence_parallel = false;
  }
  const std::optional<graph::Model> forward = build_model(*spec, options, diagnostics);
  RC_ASSERT(forward.has_value() != diagnostics.has_errors());
  RC_CLASSIFY(forward.has_value());
  if (forward) {
    const graph::Model model = graph::to_training(*forward, *tests::any_training());
    RC_ASSERT(!io::write_graph(model).empty());
    RC_ASSERT(!report::graph_tables(model).empty());
  }
}

}  // namespace
}  // namespace phaze::models
