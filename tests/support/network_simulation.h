#pragma once
// A second way to find the time of a collective: its messages, one by one, over links that are
// shared fairly. Knows nothing of the formulas; for small cases only.

#include <cstddef>
#include <vector>

#include "hw/cluster.h"

namespace phaze::tests {

// Messages between devices, each of which starts when those that it waits for have arrived.
class NetworkSimulation {
 public:
  explicit NetworkSimulation(const hw::Cluster& cluster);

  using Message = std::size_t;

  // Over the links of the outermost level at which the two differ. On rings and torus dimensions to
  // a neighbour only.
  Message send(std::size_t from, std::size_t to, double bytes, std::vector<Message> after);

  // Seconds until everything has arrived.
  double run() const;

 private:
  struct Flow {
    std::vector<std::size_t> links;
    double bytes = 0;
    double latency = 0;
    std::vector<Message> after;
  };

  enum class Slot { kOut, kIn, kOtherOut, kOtherIn };
  std::size_t slot(std::size_t device, std::size_t level, Slot slot) const;
  std::size_t part_of(std::size_t device, std::size_t level) const;

  const hw::Cluster cluster_;
  std::size_t devices_;
  std::vector<double> capacities_;
  std::vector<Flow> flows_;
};

}  // namespace phaze::tests
