#include "search/set_cuts.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace phaze::search {
namespace {

constexpr double kMost = 10, kLittle = 0.05, kLeast = 1e-6;

// By how much the bound is likely to fall from one top to another, as a logarithm.
double drop(const Slabs& slabs, const SetPositions& from, const SetPositions& to, double enough) {
  double sum = 0;
  for (std::size_t a = 0; a < from.size(); ++a) {
    if (to[a] < from[a]) {
      const double lower = slabs.bounds[a][to[a]];
      if (lower < enough || lower <= 0) {
        return kMost;  // it is out at once
      }
      sum += std::max(0.0, std::log(slabs.bounds[a][from[a]] / lower));
    }
  }
  return std::min(sum, kMost);
}

SetPositions join(SetPositions x, const SetPositions& y) {
  for (std::size_t b = 0; b < std::min(x.size(), y.size()); ++b) {
    x[b] = std::max(x[b], y[b]);
  }
  return x.empty() ? y : x;
}

}  // namespace

Slabs bound_slabs(const SetPositions& top, const std::vector<bool>& grows, double bound,
                  const std::function<double(const SetPositions& top)>& most) {
  Slabs slabs;
  struct Slab {
    std::size_t axis, position;
  };
  std::vector<Slab> all;
  for (std::size_t a = 0; a < top.size(); ++a) {
    const std::size_t positions = grows[a] ? top[a] : 0;
    slabs.bounds.emplace_back(positions + 1, bound);
    for (std::size_t p = 0; p < positions; ++p) {
      all.push_back({a, p});
    }
  }
  tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
    SetPositions lowered = top;
    lowered[all[i].axis] = static_cast<SetPosition>(all[i].position);
    slabs.bounds[all[i].axis][all[i].position] = most(lowered);
  });
  return slabs;
}

double slab_bound(const Slabs& slabs, const SetPositions& top) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < top.size(); ++a) {
    if (top[a] < slabs.bounds[a].size()) {
      least = std::min(least, slabs.bounds[a][top[a]]);
    }
  }
  return least;
}

std::uint32_t likeliest_point(const SetPoints& all, std::span<const std::uint32_t> points,
                              const Slabs& slabs,
                              const std::function<double(std::uint32_t point)>& price_of) {
  double least = std::numeric_limits<double>::infinity();
  std::uint32_t found = points.front();
  for (const std::uint32_t point : points) {
    double below = std::log(price_of(point));
    for (std::size_t a = 0; a < all.axes; ++a) {
      const double bound = slabs.bounds[a][all.at(point, a)];
      below -= bound > 0 ? std::log(bound) : -kMost;
    }
    if (below < least) {
      least = below;
      found = point;
    }
  }
  return found;
}

// Tops of both parts for every cut, by the tops of points at each position.
SetCut find_cut(const SetPoints& all, std::span<const std::uint32_t> points,
                const SetPositions& top, const Slabs& slabs, double enough) {
  SetCut best;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < all.axes; ++a) {
    std::vector<SetPositions> tops(top[a] + std::size_t{1});
    std::vector<std::size_t> counts(tops.size(), 0);
    for (const std::uint32_t point : points) {
      const SetPosition p = all.at(point, a);
      ++counts[p];
      if (tops[p].empty()) {
        tops[p].assign(all.axes, 0);
      }
      for (std::size_t b = 0; b < all.axes; ++b) {
        tops[p][b] = std::max(tops[p][b], all.at(point, b));
      }
    }
    std::vector<SetPositions> from(tops.size() + 1);  // of a position and above
    for (std::size_t p = tops.size(); p-- > 0;) {
      from[p] = join(from[p + 1], tops[p]);
    }
    SetPositions up_to;
    std::size_t below = 0;
    for (std::size_t p = 0; p + 1 < tops.size(); ++p) {
      up_to = join(up_to, tops[p]);
      below += counts[p];
      if (up_to.empty() || from[p + 1].empty()) {
        continue;
      }
      const double low = drop(slabs, top, up_to, enough);
      const double high = drop(slabs, top, from[p + 1], enough);
      const double share = static_cast<double>(below) / static_cast<double>(points.size());
      const double score = std::min(low, high) +
                           kLittle * (std::min(low, kMost) + std::min(high, kMost)) +
                           kLeast * std::min(share, 1 - share);
      if (score > best_score) {
        best_score = score;
        best = {a, static_cast<SetPosition>(p)};
      }
    }
  }
  CHECK(best_score > -std::numeric_limits<double>::infinity(), "two points differ somewhere");
  return best;
}

}  // namespace phaze::search
