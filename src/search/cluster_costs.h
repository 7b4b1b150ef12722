#pragma once
// What the planner asks for, on a chip and a cluster: chains of layers, computed once each, and
// collectives between the groups of a strategy.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cost/collective.h"
#include "place/plan_problem.h"
#include "search/chain_profile.h"

namespace phaze::search {

class ClusterCosts : public place::PlanCosts {
 public:
  // The request's cluster must be there, limited by the chip's links.
  ClusterCosts(const ProfileRequest& request, std::vector<std::int64_t> tensor_widths);

  std::vector<std::int64_t> tensor_widths() const override { return widths_; }
  bool has_place(const plan::Strategy& strategy) override;
  const plan::Chain* chain(const plan::Strategy& strategy) override;
  Seconds transfer(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds all_reduce(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds reduce_scatter(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds all_gather(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds tie(const plan::Strategy& strategy, Bytes bytes) override;

  // Why the last width and micro-batch without a chain had none.
  const std::string& reason() const { return reason_; }
  // Of all chains so far, see plan::Chain::schedule_gap.
  double largest_gap() const { return largest_gap_; }

 protected:
  // Of a width, micro-batch and tensor group that was not asked for yet.
  virtual ChainOrReason make_chain(const ChainShape& shape);
  const ProfileRequest& request() const { return request_; }

 private:
  const cost::Group* group(std::int64_t size, std::int64_t stride, cost::Company company);
  Seconds collective(const plan::Strategy& strategy, cost::Collective kind, Bytes bytes);

  const ProfileRequest& request_;
  std::vector<std::int64_t> widths_;
  std::string reason_;
  double largest_gap_ = 0;
  // By size, stride and company.
  std::map<std::tuple<std::int64_t, std::int64_t, int>, std::optional<cost::Group>> groups_;
  // Of a width, micro-batch and tensor group. Groups that differ only in what does not matter for
  // their network are the same.
  struct Known {
    ChainShape shape;
    std::unique_ptr<plan::Chain> chain;
  };
  // By tensor width, sequence parallelism and micro-batch.
  std::map<std::tuple<std::int64_t, bool, std::int64_t>, std::vector<Known>> chains_;
};

}  // namespace phaze::search
