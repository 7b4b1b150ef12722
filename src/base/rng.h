#pragma once
// Pseudo-random numbers that are the same everywhere (the standard's distributions are not):
// SplitMix64 (Steele, Lea and Flood 2014).

#include <cstddef>
#include <cstdint>

namespace phaze {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // From 0 to n - 1; n is far below 2^64.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  // From 0 to below 1.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace phaze
