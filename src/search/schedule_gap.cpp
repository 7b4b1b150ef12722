#include "search/schedule_gap.h"

namespace phaze::search {

namespace {

double share_left(Seconds time, Seconds slack) {
  return time > Seconds() ? 1 - slack.value() / time.value() : 1;
}

}  // namespace

plan::Chain with_least_times(plan::Chain chain) {
  for (plan::ChainLayer& layer : chain.layers) {
    for (std::optional<plan::LayerWork>& work : layer.work) {
      if (work) {
        const double forward = share_left(work->forward, work->forward_slack);
        const double backward = share_left(work->backward, work->backward_slack);
        work->forward = work->forward - work->forward_slack;
        work->backward = work->backward - work->backward_slack;
        work->recompute = work->recompute * backward;
        work->forward_network = work->forward_network * forward;
        work->backward_network = work->backward_network * backward;
        work->forward_slack = work->backward_slack = Seconds();
      }
    }
  }
  return chain;
}

const plan::Chain* LeastCosts::chain(const plan::Strategy& strategy) {
  const plan::Chain* chain = costs_.chain(strategy);
  if (chain == nullptr || chain->schedule_gap == 0) {
    return chain;
  }
  std::unique_ptr<plan::Chain>& least = chains_[chain];
  if (least == nullptr) {
    least = std::make_unique<plan::Chain>(with_least_times(*chain));
  }
  return least.get();
}

Seconds LeastCosts::transfer(const plan::Strategy& strategy, Bytes bytes) {
  return costs_.transfer(strategy, bytes);
}
Seconds LeastCosts::all_reduce(const plan::Strategy& strategy, Bytes bytes) {
  return costs_.all_reduce(strategy, bytes);
}
Seconds LeastCosts::reduce_scatter(const plan::Strategy& strategy, Bytes bytes) {
  return costs_.reduce_scatter(strategy, bytes);
}
Seconds LeastCosts::all_gather(const plan::Strategy& strategy, Bytes bytes) {
  return costs_.all_gather(strategy, bytes);
}
Seconds LeastCosts::tie(const plan::Strategy& strategy, Bytes bytes) {
  return costs_.tie(strategy, bytes);
}

}  // namespace phaze::search
