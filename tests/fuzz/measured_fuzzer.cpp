// A table of measured operators from anywhere: refused with a reason, or a table in which every
// operator has a time.
#include <cmath>

#include "cost/measured_sample.h"
#include "cost/operator.h"
#include "finding.h"
#include "io/measured_reader.h"
#include "presets/chips.h"

namespace phaze::fuzz {
namespace {

// Pricing takes much longer than reading.
constexpr std::size_t kMostRows = 8;

const cost::CostContext& context() {
  static Diagnostics diagnostics;
  static const hw::Chip kChip = presets::load_chip("h100", {}, diagnostics).value();
  static const cost::CostContext kContext = cost::make_context(kChip);
  return kContext;
}

void run(std::string_view text) {
  Diagnostics diagnostics;
  auto measured = io::read_measured(text, "measured.csv", diagnostics);
  expect_reasons(measured.has_value(), diagnostics);
  constexpr std::size_t kMostFaults = 21;
  expect(diagnostics.error_count() <= kMostFaults, "more faults than are shown");
  if (!measured) {
    return;
  }
  expect(!measured->empty(), "an empty table was read");
  measured->resize(std::min(measured->size(), kMostRows));
  const cost::MeasuredTable table = cost::make_table(*measured, context());
  for (plan::MeasuredOperator each : *measured) {
    Choices choices(text);
    for (int i = 0; i < 2; ++i) {
      const cost::Sample sample = cost::make_sample(each);
      const cost::OperatorKey key = cost::key_of(sample.layer, sample.layer.operators[sample.op]);
      const double time =
          cost::look_up(table, key, Seconds(1e-9 * static_cast<double>(choices.pick(1000000))))
              .time.value();
      expect(std::isfinite(time) && time >= 0, "a time that is none");
      each.rows = 1 + each.rows / 2;
      each.product.m = 1 + each.product.m / 2;
      each.attention.queries = 1 + each.attention.queries / 2;
    }
  }
}

}  // namespace

// What a table may say.
std::vector<std::string> words() {
  std::vector<std::string> all = {"kind",       "pass",      "type",
                                  "shape",      "m",         "n",
                                  "k",          "batch",     "rows",
                                  "cols",       "kv_heads",  "keys",
                                  "causal",     "window",    "time_s",
                                  "time_ms",    "time_us",   "backward",
                                  "f32",        "bf16",      "i8",
                                  "gemm",       "8x16",      "8x16x32",
                                  "2x4x64x128", "1x1048576", "1x1x1073741824",
                                  "nan",        "inf",       "1e-12",
                                  "#"};
  for (const graph::OpKind kind : graph::all_op_kinds()) {
    all.emplace_back(to_string(kind));
  }
  return all;
}

}  // namespace phaze::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= phaze::fuzz::kLongestInput) {
    phaze::fuzz::run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include "mutate.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string> kWords = phaze::fuzz::words();
  return phaze::fuzz::mutate_in_place(data, size, max_size, seed, kWords);
}
#endif
