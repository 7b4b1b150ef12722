#include "verify/product.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "verify/mapped_product.h"

namespace phaze::verify {

using plan::ProductCost;
using plan::ProductMapping;
using plan::ProductProblem;
using plan::Stationary;
using plan::TensorMachine;

namespace {

constexpr double kTolerance = 1e-9;

class Checker {
 public:
  explicit Checker(const MappedProduct& product)
      : product_(product),
        problem_(product.problem()),
        machine_(product.machine()),
        mapping_(product.mapping()) {}

  const std::vector<std::string>& faults() const { return faults_; }

  // Rules and capacities. False when what follows would make no sense.
  bool check_mapping() {
    const std::size_t before = faults_.size();
    if (!machine_.dataflows[static_cast<std::size_t>(mapping_.dataflow)]) {
      fault("the machine lacks the dataflow " + std::string(to_string(mapping_.dataflow)));
    }
    check_tile("tile_m", mapping_.tile_m, problem_.m, product_.step(Axis::kM));
    check_tile("tile_n", mapping_.tile_n, problem_.n, product_.step(Axis::kN));
    const std::int64_t steps = parts_of(problem_.k, machine_.tile_step);
    if (mapping_.k_splits < 1 || mapping_.k_splits > std::min(machine_.cores, steps)) {
      fault("k_splits " + std::to_string(mapping_.k_splits) + " of " +
            std::to_string(machine_.cores) + " cores and " + std::to_string(steps) + " steps of k");
    }
    if (faults_.size() != before) {
      return false;
    }
    check_local_buffer();
    check_global_buffer();
    return faults_.size() == before;
  }

  void compare(const ProductCost& claimed, const ProductCost& priced) {
    compare("launch", claimed.launch.value(), priced.launch.value());
    compare("fill", claimed.fill.value(), priced.fill.value());
    compare("core", claimed.core.value(), priced.core.value());
    compare("power", claimed.power.value(), priced.power.value());
    compare("global", claimed.global.value(), priced.global.value());
    compare("hbm", claimed.hbm.value(), priced.hbm.value());
    compare("reduction", claimed.reduction.value(), priced.reduction.value());
    compare("time", claimed.time.value(), priced.time.value());
    compare("utilisation", claimed.utilisation, priced.utilisation);
    compare("waves", real(claimed.waves), real(priced.waves));
    compare("local_bytes", real(claimed.local_bytes.value()), real(priced.local_bytes.value()));
    compare("global_bytes", real(claimed.global_bytes.value()), real(priced.global_bytes.value()));
    compare("hbm_bytes", real(claimed.hbm_bytes.value()), real(priced.hbm_bytes.value()));
    check_bound(claimed, priced);
  }

  // Every item with its true size, dealt to the cores in turn.
  void walk(const ProductCost& claimed) {
    if (product_.items() > kMostWalkedItems || real(machine_.cores) > kMostWalkedItems) {
      return;
    }
    struct Core {
      double seconds = 0;
      std::int64_t items = 0;
    };
    std::vector<Core> cores(static_cast<std::size_t>(machine_.cores));
    std::size_t next = 0;
    double done = 0;
    double local = 0;
    double port = 0;
    for (std::int64_t batch = 0; batch < problem_.batch; ++batch) {
      for (std::int64_t row = 0; row < problem_.m; row += mapping_.tile_m) {
        const std::int64_t m = std::min(mapping_.tile_m, problem_.m - row);
        for (std::int64_t column = 0; column < problem_.n; column += mapping_.tile_n) {
          const std::int64_t n = std::min(mapping_.tile_n, problem_.n - column);
          // Shares that are empty hold a place in the queue and in the sums.
          for (std::int64_t split = 0; split < product_.splits(); ++split) {
            const std::int64_t first = std::min(problem_.k, split * product_.share());
            const std::int64_t k = std::min(product_.share(), problem_.k - first);
            const MappedProduct::Load load = product_.load_of(m, n, k);
            cores[next].seconds += product_.seconds_of(load);
            ++cores[next].items;
            next = (next + 1) % cores.size();
            done += real(m) * real(n) * real(k);
            local += load.local;
            port += load.port;
          }
        }
      }
    }
    Core busiest;
    for (const Core& core : cores) {
      busiest.seconds = std::max(busiest.seconds, core.seconds);
      busiest.items = std::max(busiest.items, core.items);
    }
    compare("multiply-accumulates of all items", done, product_.macs());
    compare("items of the busiest core", real(claimed.waves), real(busiest.items));
    at_least("core", claimed.core.value(), busiest.seconds);
    at_least("local_bytes", real(claimed.local_bytes.value()), local);
    // What the ports carry and what HBM carries is all that the global buffer sees.
    // An epilogue's operands pass both levels once.
    const double extra = real(problem_.extra.value());
    const double hbm = product_.walk_hbm() + extra;
    compare("hbm_bytes counted", real(claimed.hbm_bytes.value()), hbm);
    const double reduced =
        product_.splits() > 1 ? product_.sums() + product_.elements_c() * product_.bytes_c() : 0;
    compare("global_bytes counted", real(claimed.global_bytes.value()),
            port + extra + hbm + reduced);
  }

 private:
  void fault(std::string text) { faults_.push_back(std::move(text)); }

  void compare(const std::string& what, double claimed, double found) {
    if (!(std::abs(claimed - found) <= kTolerance * std::max(std::abs(claimed), std::abs(found)))) {
      fault(what + ": claimed " + shortest(claimed) + ", found " + shortest(found));
    }
  }
  void at_least(const std::string& what, double claimed, double counted) {
    if (!(claimed * (1 + kTolerance) >= counted)) {
      fault(what + ": claimed " + shortest(claimed) + ", true tiles need " + shortest(counted));
    }
  }

  void check_tile(const std::string& name, std::int64_t tile, std::int64_t whole,
                  std::int64_t unit) {
    if (tile < 1 || tile > whole || (tile != whole && tile % unit != 0)) {
      fault(name + " " + std::to_string(tile) + " of " + std::to_string(whole) +
            " is no multiple of " + std::to_string(unit));
    }
  }

  void check_local_buffer() {
    const double m = real(mapping_.tile_m);
    const double n = real(mapping_.tile_n);
    const double k = real(product_.share());
    double needed = 0;
    switch (mapping_.local) {  // what stays once, what passes twice
      case Stationary::kC:
        needed = m * n * kSumBytes + 2 * (m * real(product_.slice()) * product_.bytes_a() +
                                          real(product_.slice()) * n * product_.bytes_b());
        break;
      case Stationary::kA: {
        const double strip = real(std::min(mapping_.tile_n, product_.step(Axis::kN)));
        needed = m * k * product_.bytes_a() +
                 2 * (k * strip * product_.bytes_b() + m * strip * kSumBytes);
        break;
      }
      case Stationary::kB: {
        const double strip = real(std::min(mapping_.tile_m, product_.step(Axis::kM)));
        needed = k * n * product_.bytes_b() +
                 2 * (strip * k * product_.bytes_a() + strip * n * kSumBytes);
        break;
      }
    }
    if (needed > real(machine_.local_buffer.value())) {
      fault("an item takes " + shortest(needed) + " bytes of a local buffer of " +
            std::to_string(machine_.local_buffer.value()));
    }
    if (m * n > real(machine_.accumulators)) {
      fault("a tile of " + shortest(m * n) + " sums on " + std::to_string(machine_.accumulators) +
            " accumulators");
    }
  }

  // Sums of split k take at most half of the global buffer, what is kept of A and B the other.
  void check_global_buffer() {
    switch (mapping_.global) {
      case Stationary::kA:
        check_panel(mapping_.tile_m, problem_.m, product_.bytes_a());
        break;
      case Stationary::kB:
        check_panel(mapping_.tile_n, problem_.n, product_.bytes_b());
        break;
      case Stationary::kC:
        check_group();
        break;
    }
  }

  void check_panel(std::int64_t tile, std::int64_t whole, double element) {
    const std::int64_t panel = mapping_.panel;
    if (panel < 1 || panel > whole || (panel != whole && panel % tile != 0)) {
      fault("a panel of " + std::to_string(panel) + " of " + std::to_string(whole) +
            " is no multiple of the tile " + std::to_string(tile));
    } else if (real(panel) * real(problem_.k) * element > product_.global_half()) {
      fault("a panel of " + std::to_string(panel) + " takes more than half of the global buffer");
    }
  }

  void check_group() {
    const std::int64_t m = mapping_.group_m;
    const std::int64_t n = mapping_.group_n;
    if (m < 1 || n < 1) {
      fault("an empty group");
    } else if (m > 1 || n > 1) {
      if (real(m) * real(n) * real(product_.splits()) > real(machine_.cores)) {
        fault("a group of " + std::to_string(m) + " x " + std::to_string(n) + " tiles in " +
              std::to_string(product_.splits()) + " shares on " + std::to_string(machine_.cores) +
              " cores");
      }
      const double depth = 2 * real(product_.slice());
      const double needed = depth * (real(m) * real(mapping_.tile_m) * product_.bytes_a() +
                                     real(n) * real(mapping_.tile_n) * product_.bytes_b());
      if (needed > product_.global_half()) {
        fault("a group takes " + shortest(needed) + " bytes, more than half of the global buffer");
      }
    }
  }

  // Another name is right where both parts are equal but for rounding.
  void check_bound(const ProductCost& claimed, const ProductCost& priced) {
    if (claimed.bound == priced.bound) {
      return;
    }
    const double one = product_.part_of(claimed.bound, priced);
    const double other = product_.part_of(priced.bound, priced);
    if (std::abs(one - other) > kTolerance * other) {
      fault("bound: claimed " + std::string(to_string(claimed.bound)) + ", found " +
            std::string(to_string(priced.bound)));
    }
  }

  const MappedProduct& product_;
  const ProductProblem& problem_;
  const TensorMachine& machine_;
  const ProductMapping& mapping_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> verify_product(const ProductProblem& problem, const TensorMachine& machine,
                                        const ProductMapping& mapping, const ProductCost& claimed) {
  const MappedProduct product(problem, machine, mapping);
  Checker checker(product);
  if (checker.check_mapping()) {
    checker.compare(claimed, product.price());
    checker.walk(claimed);
  }
  return checker.faults();
}

std::optional<ProductCost> price_product(const ProductProblem& problem,
                                         const TensorMachine& machine,
                                         const ProductMapping& mapping) {
  const MappedProduct product(problem, machine, mapping);
  return Checker(product).check_mapping() ? std::optional(product.price()) : std::nullopt;
}

}  // namespace phaze::verify
