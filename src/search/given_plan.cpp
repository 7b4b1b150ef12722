#include "search/given_plan.h"

#include "base/check.h"
#include "place/price.h"

namespace phaze::search {

PlanAnswer price_given_plan(const PlanSetting& setting, const GivenPlan& given) {
  CHECK(!is_original(setting.assumptions), "a given plan has a price of our own only");
  SettingCosts costs(setting);
  PlanAnswer answer;
  if (!costs.costs().has_place(given.strategy)) {
    answer.reason = "the groups of devices do not fill the levels of cluster " +
                    setting.cluster.name + " evenly";
    return answer;
  }
  const plan::Chain* chain = costs.costs().chain(given.strategy);
  if (chain == nullptr) {
    answer.reason = costs.costs().reason();
    return answer;
  }
  place::PlanProblem problem = make_plan_problem(setting);
  problem.limits = {};
  const place::StageTable table(problem, costs.costs(), given.strategy, *chain);
  plan::Recompute way = given.recompute;
  if (!table.offers(way)) {
    way = plan::Recompute::kNone;
    answer.notes.emplace_back("selective recomputation saves nothing here: this is without it");
  }
  std::vector<place::StageCut> cuts;
  for (const auto& ranges : given.stages) {
    cuts.push_back({ranges, way});
  }
  answer.plans.push_back(place::price(problem, table, place::evaluate(table, std::move(cuts))));
  answer.chains.push_back(*chain);
  answer.bound = answer.plans.front().iteration;
  answer.largest_gap = costs.costs().largest_gap();
  answer.strategies = answer.priced = 1;
  return answer;
}

}  // namespace phaze::search
