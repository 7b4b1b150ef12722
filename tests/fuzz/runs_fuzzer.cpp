// A table of measured runs from anywhere: refused with a reason, or rows of which each has a
// prediction or a reason for having none.
#include <cmath>

#include "finding.h"
#include "io/measured_runs.h"
#include "trust/validate.h"

namespace phaze::fuzz {
namespace {

// Pricing takes much longer than reading.
constexpr std::size_t kMostRows = 2;
constexpr std::int64_t kMostLayers = 64;

void run(std::string_view text) {
  Diagnostics diagnostics;
  auto runs = io::read_measured_runs(text, "runs.csv", "runs", diagnostics);
  expect_reasons(runs.has_value(), diagnostics);
  constexpr std::size_t kMostFaults = 21;
  expect(diagnostics.error_count() <= kMostFaults, "more faults than are shown");
  if (!runs) {
    return;
  }
  expect(!runs->empty(), "an empty table was read");
  runs->resize(std::min(runs->size(), kMostRows));
  for (const plan::MeasuredRun& one : *runs) {
    const bool is_file = !one.model.name.empty() && one.model.name != "gpt2-xl";
    const bool is_open = !one.microbatch || !one.interleave;
    if (is_file || is_open || one.model.layers > kMostLayers) {
      return;  // no files of the machine, nothing that takes long
    }
  }
  Diagnostics others;
  const auto settings = trust::make_run_settings(*runs, {}, others);
  expect_reasons(settings.has_value(), others);
  if (!settings) {
    return;
  }
  for (const plan::ValidatedRun& one : trust::validate(*settings).runs) {
    expect(one.prediction.has_value() || !one.reason.empty(), "neither a time nor a reason");
    for (std::size_t i = 0; i < plan::kMeasures && one.prediction; ++i) {
      const double value = one.prediction->predicted[i].value_or(1);
      expect(std::isfinite(value) && value > 0, "a prediction that is none");
    }
  }
}

}  // namespace

// What a table may say.
std::vector<std::string> words() {
  return {"model",     "family",   "hidden",       "heads",      "kv_heads",  "ffn",
          "layers",    "sequence", "vocabulary",   "tied",       "dropout",   "chip",
          "cluster",   "devices",  "global_batch", "microbatch", "tensor",    "pipeline",
          "data",      "zero",     "interleave",   "attention",  "recompute", "overlap",
          "precision", "group",    "iteration_s",  "any",        "flash",     "eager",
          "full",      "gpt2-xl",  "a100-80g",     "dgx-a100",   "llama",     "1048576"};
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
