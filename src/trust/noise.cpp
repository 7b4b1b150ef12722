#include "trust/noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "trust/statistics.h"

namespace phaze::trust {
namespace {

using plan::MeasuredRun;

struct Point {
  double at;  // layers or sequences
  double time_s;
};

// All that makes rows equal but for layers, batch and micro-batch.
std::string key_of(const MeasuredRun& run) {
  const plan::RunModel& m = run.model;
  std::string key = m.name + "|" + m.family + "|" + run.chip + "|" + run.cluster + "|" + run.group;
  for (const std::int64_t value :
       {m.hidden, m.heads, m.kv_heads, m.ffn, m.sequence, m.vocabulary,
        std::int64_t{m.is_tied.value_or(true)}, run.devices, run.tensor, run.pipeline, run.data,
        run.interleave.value_or(0), run.recompute ? static_cast<std::int64_t>(*run.recompute) : -1,
        std::int64_t{run.sequence_parallel}, std::int64_t{run.zero},
        std::int64_t{run.has_flash_attention}, static_cast<std::int64_t>(run.stack),
        std::int64_t{run.overlap}, static_cast<std::int64_t>(run.precision)}) {
    key += "|" + std::to_string(value);
  }
  return key + "|" + std::to_string(m.dropout.value_or(-1));
}

// Each row's share of distance from the mean of the rows like it. The mean of n holds a part of
// what a row is off by: the distance is larger by sqrt(n / (n - 1)) from where they scatter about.
void add_repeats(const std::vector<Point>& points, std::vector<double>& shares) {
  double sum = 0;
  for (const Point& point : points) {
    sum += point.time_s;
  }
  const auto count = static_cast<double>(points.size());
  for (const Point& point : points) {
    shares.push_back(std::abs(point.time_s * count / sum - 1) * std::sqrt(count / (count - 1)));
  }
}

// A row's share of distance from the line between its neighbours, less what those are off by
// themselves: three rows that scatter alike are off by sqrt(1 + v^2 + w^2) times as much together.
enum class Side { kBoth, kAbove };
void add_neighbours(std::vector<Point> points, Side side, std::vector<double>& shares) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.at < b.at; });
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Point& before = points[i - 1];
    const Point& after = points[i + 1];
    if (before.at == points[i].at || after.at == points[i].at) {
      continue;
    }
    const double w = (points[i].at - before.at) / (after.at - before.at);
    const double line_s = (1 - w) * before.time_s + w * after.time_s;
    const double off = points[i].time_s / line_s - 1;
    shares.push_back((side == Side::kBoth ? std::abs(off) : std::max(off, 0.0)) /
                     std::sqrt(1 + w * w + (1 - w) * (1 - w)));
  }
}

}  // namespace

plan::NoiseFloor find_noise(const std::vector<plan::ValidatedRun>& runs) {
  std::map<std::string, std::vector<Point>> same, by_layers, by_batch, by_microbatch;
  for (const plan::ValidatedRun& one : runs) {
    const MeasuredRun& run = one.run;
    const auto& time = run.measured[static_cast<std::size_t>(plan::Measure::kIteration)];
    if (!time) {
      continue;
    }
    const std::string key = key_of(run);
    const std::string layers = "|layers " + std::to_string(run.model.layers);
    const std::string batch = "|batch " + std::to_string(run.global_batch);
    const std::string microbatch = "|micro-batch " + std::to_string(run.microbatch.value_or(0));
    same[key + layers + batch + microbatch].push_back({0, *time});
    if (run.microbatch) {
      by_microbatch[key + layers + batch].push_back({static_cast<double>(*run.microbatch), *time});
    }
    if (run.model.name.empty()) {
      by_layers[key + batch + microbatch].push_back({static_cast<double>(run.model.layers), *time});
    }
    by_batch[key + layers + microbatch].push_back({static_cast<double>(run.global_batch), *time});
  }
  plan::NoiseFloor floor;
  std::vector<double> shares;
  for (const auto& [key, points] : same) {
    if (points.size() > 1) {
      add_repeats(points, shares);
    }
  }
  floor.repeats = shares.size();
  for (const auto* groups : {&by_layers, &by_batch}) {
    for (const auto& [key, points] : *groups) {
      add_neighbours(points, Side::kBoth, shares);
    }
  }
  floor.neighbours = shares.size() - floor.repeats;
  floor.mean = mean_of(shares);
  floor.median = quantile(shares, 0.5);
  std::vector<double> bumps;
  for (const auto& [key, points] : by_microbatch) {
    add_neighbours(points, Side::kAbove, bumps);
  }
  floor.microbatches = bumps.size();
  floor.least_mean = mean_of(bumps);
  return floor;
}

}  // namespace phaze::trust
