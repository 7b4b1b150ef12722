#pragma once
// Random numbers that are the same everywhere: the distributions of the standard library differ
// between its makers.

#include <cstdint>
#include <random>

namespace phaze::tests {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15U + 1) {}
  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool toss(std::int64_t of = 2) { return pick(1, of) == 1; }
  double real() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }  // from 0 to 1

 private:
  std::mt19937_64 engine_;
};

}  // namespace phaze::tests
