#include "cli/search_robust.h"

#include <tbb/task_arena.h>

#include <algorithm>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/ranges.h"
#include "search/robust_search.h"

namespace phaze::cli {
namespace {

using search::DrawnConstant;

// What errors of predictions say of a constant: those of runs that it limits, on all machines.
plan::UncertainConstant read_constant(const std::vector<plan::ErrorQuantiles>& table,
                                      const std::string& name, std::optional<plan::Regime> regime) {
  const auto row = std::ranges::find_if(table, [&](const plan::ErrorQuantiles& each) {
    return each.machine == "any" && each.regime == regime;
  });
  CHECK(row != table.end(), "the table of errors has a row of all machines");
  return {name, row->low, row->high};
}

search::Uncertainty read_uncertainty(bool is_original) {
  const std::vector<plan::ErrorQuantiles> table = load_errors();
  search::Uncertainty known;
  const auto set = [&](DrawnConstant constant, const std::string& name,
                       std::optional<plan::Regime> regime) {
    known.constants[static_cast<std::size_t>(constant)] = read_constant(table, name, regime);
  };
  set(DrawnConstant::kMatrix, is_original ? "clock" : "products", plan::Regime::kCompute);
  set(DrawnConstant::kVector, "vector operators", std::nullopt);
  set(DrawnConstant::kHbm, "HBM", plan::Regime::kMemory);
  set(DrawnConstant::kHost, "host and launches", plan::Regime::kLaunch);
  set(DrawnConstant::kLink, "links", plan::Regime::kNetwork);
  set(DrawnConstant::kLatency, "latencies of the network", plan::Regime::kNetwork);
  return known;
}

}  // namespace

plan::Robustness look_at_robustness(const ChipSearchOptions& options,
                                    const search::SearchQuestion& question,
                                    const search::SearchAnswer& answer) {
  Progress progress;
  search::RobustOptions how;
  how.draws = options.robust;
  how.seed = static_cast<std::uint64_t>(options.seed);
  how.uncertainty =
      read_uncertainty(search::is_original(question.models.front().setting.assumptions));
  how.is_cancelled = [&](std::int64_t done) {
    progress.show("other constants: " + with_thousands(done) + " of " + counted(how.draws, "draw"));
    return was_interrupted();
  };
  progress.show("chips that could win with other constants");
  const NoteInterrupts note;
  plan::Robustness robustness;
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] { robustness = search::find_robustness(question, answer, how); });
  return robustness;
}

}  // namespace phaze::cli
