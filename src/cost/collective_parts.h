#pragma once
// What the algorithms of collective.cpp share: the links that a group sees, and how the parts of a
// transfer add up. Within this folder only, so numbers are plain: seconds, bytes, bytes a second.

#include <array>
#include <cstddef>

#include "cost/algorithm.h"
#include "cost/group.h"
#include "hw/cluster.h"

namespace phaze::cost::detail {

// One level that the group spans.
struct Link {
  std::size_t level = 0;        // of the cluster
  double members = 1;           // parts that the group has devices in
  double log2_members = 0;      // rounded up
  bool is_power_of_two = true;  // the number of members
  double inside = 1;            // devices of the group in one part
  double later = 1;             // parts at all levels further out, together
  double latency = 0;           // of a message to the next member
  double rate = 0;              // that each device of the group sustains
  double neighbour_rate = 0;    // the same to one other device: on a ring one of two links
  double reducing_rate = 0;     // when the switches reduce; 0: they do not
  bool is_line = false;         // neighbours only
  bool is_closed = false;       // a line whose ends meet
  bool is_torus = false;
  bool has_tree = false;
  bool has_halving = false;
};

struct Links {
  std::array<Link, hw::kMaxLevels> items;
  std::size_t count = 0;
  double size = 1;  // of the group

  const Link* begin() const { return items.data(); }
  const Link* end() const { return items.data() + count; }
  const Link& front() const { return items[0]; }
  const Link& back() const { return items[count - 1]; }
};

// Without what is not allowed: trees, halving, reduction in the network.
Links make_links(const hw::Cluster& cluster, const Group& group, AlgorithmSet allowed);

// Time that a pipeline of pieces leaves visible of `work` that is not on its slowest stage, when
// every further piece costs `overhead`: the least over k >= 1 of work / k + (k - 1) overhead.
// docs/models.md [9.3].
double unhidden(double work, double overhead);

// The four shares of a time, without the start.
struct Estimate {
  double latency = 0;
  double transfer = 0;
  double copied_bytes = 0;
  std::size_t latency_level = 0;   // where most of the latency is
  std::size_t transfer_level = 0;  // the slowest
};

// Adds the shares of an estimate up.
class Sum {
 public:
  // Steps that wait for one another.
  void add_steps(const Link& link, double count) { add_latency(link, count * link.latency); }
  void add_latency(const Link& link, double seconds);
  // Links at work at the same time on the same data: the slowest counts.
  void add_concurrent(std::size_t level, double seconds) {
    if (count_if_slowest(level, seconds)) {
      concurrent_ = seconds;
    }
  }
  // Transfers that follow one another.
  void add_serial(std::size_t level, double seconds) {
    count_if_slowest(level, seconds);
    serial_ += seconds;
  }
  // A stage of a pipeline of pieces: the slowest counts in full, the others as fill.
  void add_stage(std::size_t level, double seconds) {
    count_if_slowest(level, seconds);
    slowest_stage_ = seconds > slowest_stage_ ? seconds : slowest_stage_;
    stages_ += seconds;
  }
  // What has to happen before the first piece is on its way, or after the last has come.
  void add_fill(double seconds) { fill_ += seconds; }

  // Pieces are handed over at the pace of the longest latency.
  Estimate finish(double copied_bytes) const;

 private:
  bool count_if_slowest(std::size_t level, double seconds) {
    const bool is_slowest = seconds > slowest_;
    if (is_slowest) {
      slowest_ = seconds;
      transfer_level_ = level;
    }
    return is_slowest;
  }

  double latency_ = 0, most_latency_ = 0, overhead_ = 0;
  double concurrent_ = 0, serial_ = 0, stages_ = 0, slowest_stage_ = 0, slowest_ = 0, fill_ = 0;
  std::size_t latency_level_ = 0, transfer_level_ = 0;
};

}  // namespace phaze::cost::detail
