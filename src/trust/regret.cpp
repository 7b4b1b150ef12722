#include "trust/regret.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/plural.h"

namespace phaze::trust {
namespace {

using plan::Measure;
using plan::ValidatedRun;

std::string name_of(const plan::MeasuredRun& run) {
  const plan::RunModel& model = run.model;
  const std::string what = !model.name.empty() ? model.name
                                               : counted(model.layers, "layer") + " of " +
                                                     std::to_string(model.hidden) + ", sequence " +
                                                     std::to_string(model.sequence);
  return what + " on " + std::to_string(run.devices) + " " + run.chip + ", batch " +
         std::to_string(run.global_batch);
}

double measured(const ValidatedRun& run) {
  return *run.run.measured[static_cast<std::size_t>(Measure::kIteration)];
}
double predicted(const ValidatedRun& run) {
  return *run.prediction->predicted[static_cast<std::size_t>(Measure::kIteration)];
}

}  // namespace

std::vector<plan::RegretCase> find_regrets(const std::vector<ValidatedRun>& runs) {
  using Key = std::tuple<plan::RunModel, std::string, std::string, std::int64_t, std::int64_t>;
  std::map<Key, std::vector<std::size_t>> cases;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].error(Measure::kIteration)) {
      const plan::MeasuredRun& run = runs[i].run;
      cases[{run.model, run.chip, run.cluster, run.devices, run.global_batch}].push_back(i);
    }
  }
  std::vector<plan::RegretCase> regrets;
  for (const auto& [key, rows] : cases) {
    if (rows.size() < 2) {
      continue;
    }
    plan::RegretCase one;
    one.name = name_of(runs[rows.front()].run);
    one.strategies = rows.size();
    one.chosen = *std::min_element(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(!runs[a].prediction->plan.fits, predicted(runs[a])) <
             std::tuple(!runs[b].prediction->plan.fits, predicted(runs[b]));
    });
    one.best = *std::min_element(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return measured(runs[a]) < measured(runs[b]);
    });
    one.regret = measured(runs[one.chosen]) / measured(runs[one.best]);
    regrets.push_back(std::move(one));
  }
  // In the order of the file.
  std::stable_sort(regrets.begin(), regrets.end(), [](const auto& a, const auto& b) {
    return std::min(a.chosen, a.best) < std::min(b.chosen, b.best);
  });
  return regrets;
}

}  // namespace phaze::trust
