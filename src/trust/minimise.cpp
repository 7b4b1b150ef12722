#include "trust/minimise.h"

#include <algorithm>

namespace phaze::trust {

Minimum minimise(const std::vector<Variable>& variables,
                 const std::function<double(const std::vector<double>&)>& function, int halvings) {
  constexpr std::size_t kMostRounds = 25;
  constexpr double kWorthwhile = 1e-3;  // of the value, in a round
  Minimum best;
  for (const Variable& variable : variables) {
    best.at.push_back(std::clamp(variable.start, variable.low, variable.high));
  }
  const auto evaluate = [&](const std::vector<double>& at) {
    ++best.evaluations;
    return function(at);
  };
  best.value = evaluate(best.at);
  double scale = 1;
  for (std::size_t round = 0, halved = 0;
       round < kMostRounds && halved <= static_cast<std::size_t>(halvings); ++round) {
    const std::vector<double> before = best.at;
    const double value_before = best.value;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> at = best.at;
        at[i] = std::clamp(at[i] + sign * scale * variables[i].step, variables[i].low,
                           variables[i].high);
        if (at[i] == best.at[i]) {
          continue;
        }
        if (const double value = evaluate(at); value < best.value) {
          best.value = value;
          best.at = std::move(at);
          break;
        }
      }
    }
    if (best.value >= value_before * (1 - kWorthwhile)) {
      scale /= 2;
      ++halved;
    }
    if (best.at == before) {
      continue;
    }
    std::vector<double> further = best.at;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      further[i] = std::clamp(2 * best.at[i] - before[i], variables[i].low, variables[i].high);
    }
    if (further != best.at) {
      if (const double value = evaluate(further); value < best.value) {
        best.value = value;
        best.at = std::move(further);
      }
    }
  }
  return best;
}

}  // namespace phaze::trust
