#pragma once
// A cluster as plain data: levels of network from the innermost out, each of which joins a number
// of the parts below it (a device, a node, a rack, ...). What a collective costs on it is cost/'s.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace phaze::hw {

// Deeper networks do not exist, and a fixed bound keeps groups of devices plain arrays.
inline constexpr std::size_t kMaxLevels = 6;

enum class LevelKind {
  kSwitch,   // any part reaches any other at full rate
  kFatTree,  // the same through tiers of switches, which may be oversubscribed
  kRing,     // a link to the next and one to the previous part
  kTorus,    // one dimension of a torus; those that follow one another are used at once
};
std::string_view to_string(LevelKind kind);
std::optional<LevelKind> parse_level_kind(std::string_view name);
std::vector<std::string> level_kind_names();

// Parts of a ring or torus dimension have links to their neighbours only.
constexpr bool has_neighbours_only(LevelKind kind) {
  return kind == LevelKind::kRing || kind == LevelKind::kTorus;
}

// How the communication library may run a collective between the parts of a level. A ring it always
// can.
struct Patterns {
  bool tree = true;
  bool halving_doubling = true;

  bool operator==(const Patterns&) const = default;
};

struct Level {
  std::string name;
  LevelKind kind = LevelKind::kSwitch;
  // Parts of the level below. Nothing: as many as are asked for; the outermost level only.
  std::optional<std::int64_t> members = 1;
  // What one device can send at this level, all its links of the level together (a torus dimension
  // has two). Receiving is as fast, and at the same time.
  BytesPerSecond bandwidth{1};
  Seconds latency;              // of one message between neighbours, software included
  double efficiency = 1;        // sustained share of `bandwidth` in large messages
  double oversubscription = 1;  // what the devices of a part could send over what leaves the part
  // Share of that which collectives keep that have several devices in each of more than two parts:
  // their rings come in at one port and leave by another, across what the others send.
  double crossing_share = 1;
  bool wraparound = true;  // is the line of a ring or torus dimension closed?
  // Share of `bandwidth` when the switches add up what passes them; nothing: they do not.
  std::optional<double> in_network_efficiency;
  Patterns patterns;

  bool operator==(const Level&) const = default;
};

struct Cluster {
  std::string name;
  std::string title;
  std::string source;
  std::string calibration;    // which figures were fitted, and on what
  std::vector<Level> levels;  // from the innermost out; at least one, at most kMaxLevels
  Seconds start;              // of any collective: launch, synchronisation of the devices
  // A device's pass over its own share of the data; nothing: hidden behind the transfers.
  std::optional<BytesPerSecond> copy_bandwidth;
  bool hierarchical = true;  // does the library split collectives by level?

  bool operator==(const Cluster&) const = default;
};

// Devices in one part that `level` joins: 1 for the innermost.
std::int64_t devices_per_part(const Cluster& cluster, std::size_t level);

// Nothing when the outermost level takes any number.
std::optional<std::int64_t> device_count(const Cluster& cluster);

// Between the two halves of one unit of the level, in one direction, cut between its parts at peak
// rates; nothing for a level of any size.
std::optional<BytesPerSecond> bisection_bandwidth(const Cluster& cluster, std::size_t level);

// Of the whole cluster: the outermost level's, of a torus the smallest over its dimensions.
std::optional<BytesPerSecond> bisection_bandwidth(const Cluster& cluster);

// The cluster as seen by devices whose own links send no more than `link_bandwidth`: the innermost
// network is cut down to it, dimensions of one torus together. Further levels have adapters of
// their own.
Cluster with_link_limit(Cluster cluster, BytesPerSecond link_bandwidth);

}  // namespace phaze::hw
