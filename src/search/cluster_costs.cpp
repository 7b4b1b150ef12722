#include "search/cluster_costs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace phaze::search {

using cost::Company;
using plan::Axis;
using plan::Strategy;

ClusterCosts::ClusterCosts(const ProfileRequest& request, std::vector<std::int64_t> tensor_widths)
    : request_(request), widths_(std::move(tensor_widths)) {
  CHECK(request.cluster != nullptr, "plans are made for a cluster");
}

const cost::Group* ClusterCosts::group(std::int64_t size, std::int64_t stride, Company company) {
  const auto [known, is_new] =
      groups_.try_emplace(std::tuple(size, stride, static_cast<int>(company)));
  if (is_new) {
    known->second = cost::place_group(*request_.cluster, size, stride, company);
  }
  return known->second ? &*known->second : nullptr;
}

bool ClusterCosts::has_place(const Strategy& strategy) {
  return group(strategy.tensor, plan::stride_of(strategy, Axis::kTensor), Company::kAll) &&
         group(strategy.data, plan::stride_of(strategy, Axis::kData), Company::kAll) &&
         group(strategy.pipeline, plan::stride_of(strategy, Axis::kPipeline), Company::kAll);
}

const plan::Chain* ClusterCosts::chain(const Strategy& strategy) {
  const cost::Group* tensor =
      group(strategy.tensor, plan::stride_of(strategy, Axis::kTensor), Company::kAll);
  CHECK(tensor != nullptr, "has_place() says which strategies have one");
  ChainShape shape{strategy.tensor, strategy.sequence_parallel, strategy.microbatch, *tensor};
  for (std::size_t i = 0; i < request_.cluster->levels.size(); ++i) {
    cost::Span& span = shape.tensor_group.spans[i];
    if (span.members == 1) {
      span = {};
    } else if (!hw::has_neighbours_only(request_.cluster->levels[i].kind)) {
      span.stride = 1;
    }
  }
  std::vector<Known>& all = chains_[{shape.tensor, shape.sequence_parallel, shape.microbatch}];
  for (const Known& known : all) {
    if (known.shape.tensor_group == shape.tensor_group) {
      return known.chain.get();
    }
  }
  ChainOrReason made = make_chain(shape);
  if (made.chain) {
    largest_gap_ = std::max(largest_gap_, made.chain->schedule_gap);
  } else {
    reason_ = made.reason;
  }
  all.push_back(
      {shape, made.chain ? std::make_unique<plan::Chain>(*std::move(made.chain)) : nullptr});
  return all.back().chain.get();
}

ChainOrReason ClusterCosts::make_chain(const ChainShape& shape) {
  return compute_chain(request_, shape);
}

Seconds ClusterCosts::transfer(const Strategy& strategy, Bytes bytes) {
  const cost::Group* next =
      group(strategy.pipeline, plan::stride_of(strategy, Axis::kPipeline), Company::kAll);
  CHECK(next != nullptr, "has_place() says which strategies have one");
  const auto send = [&](Bytes message) {
    return cost::compute_collective(*request_.cluster, cost::Collective::kPointToPoint, message,
                                    *next)
        .time;
  };
  const Seconds whole = send(bytes);
  if (strategy.tensor == 1 || strategy.sequence_parallel) {
    return whole;
  }
  // All devices of a tensor group hold the same: each sends its share, and they gather the rest.
  const cost::Group* tensor =
      group(strategy.tensor, plan::stride_of(strategy, Axis::kTensor), Company::kAll);
  const Seconds parts =
      send(Bytes((bytes.value() + strategy.tensor - 1) / strategy.tensor)) +
      cost::compute_collective(*request_.cluster, cost::Collective::kAllGather, bytes, *tensor)
          .time;
  return std::min(whole, parts);
}

Seconds ClusterCosts::collective(const Strategy& strategy, cost::Collective kind, Bytes bytes) {
  const cost::Group* data =
      group(strategy.data, plan::stride_of(strategy, Axis::kData), Company::kAll);
  CHECK(data != nullptr, "has_place() says which strategies have one");
  return cost::compute_collective(*request_.cluster, kind, bytes, *data).time;
}

Seconds ClusterCosts::all_reduce(const Strategy& strategy, Bytes bytes) {
  return collective(strategy, cost::Collective::kAllReduce, bytes);
}
Seconds ClusterCosts::reduce_scatter(const Strategy& strategy, Bytes bytes) {
  return collective(strategy, cost::Collective::kReduceScatter, bytes);
}
Seconds ClusterCosts::all_gather(const Strategy& strategy, Bytes bytes) {
  return collective(strategy, cost::Collective::kAllGather, bytes);
}

Seconds ClusterCosts::tie(const Strategy& strategy, Bytes bytes) {
  // Two devices as far from one another as the first and the last stage.
  const std::int64_t far = plan::stride_of(strategy, Axis::kPipeline) * (strategy.pipeline - 1);
  const cost::Group* ends = group(2, far, Company::kAlone);
  return cost::compute_collective(
             *request_.cluster, cost::Collective::kAllReduce, bytes,
             ends != nullptr ? *ends : cost::place_pair(*request_.cluster, far))
      .time;
}

}  // namespace phaze::search
