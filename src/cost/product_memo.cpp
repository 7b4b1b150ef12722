#include "cost/product_memo.h"

#include <functional>

namespace phaze::cost {

// Machines of one chip differ in few fields: number format, share of the chip, alignment.
std::size_t ProductMemo::Hash::operator()(const Key& key) const {
  const plan::ProductProblem& p = key.problem;
  const plan::TensorMachine& machine = key.machine;
  std::size_t hash = 0;
  const auto mix = [&hash](std::size_t value) {
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;
    hash = (hash ^ value) * kOdd;
    hash ^= hash >> 29;
  };
  for (const std::int64_t size :
       {p.batch, p.m, p.n, p.k, p.c_element.value(), p.extra.value(), machine.cores}) {
    mix(static_cast<std::size_t>(size));
  }
  mix(std::hash<double>()(machine.port_bandwidth.value()));
  mix(std::hash<double>()(machine.hbm_bandwidth.value()));
  mix(std::hash<double>()(machine.peak.value()));
  return hash;
}

std::optional<ProductAnswer> ProductMemo::solve(const plan::ProductProblem& problem,
                                                const plan::TensorMachine& machine) {
  const auto [place, is_new] = answers_.try_emplace({problem, machine});
  if (is_new) {
    place->second = solve_product(problem, machine);
  }
  return place->second;
}

}  // namespace phaze::cost
