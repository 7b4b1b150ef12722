#pragma once
// Predicted against measured as an SVG picture, both axes logarithmic.

#include <string>
#include <vector>

namespace phaze::report {

struct ScatterPoint {
  double measured = 0, predicted = 0;  // above zero
  std::string label;
};

struct ScatterSeries {
  std::string name;
  std::vector<ScatterPoint> points;
};

// `unit` is that of both axes. Points show their label and their error when hovered over. Series
// differ in colour and in shape. Readable on light and dark grounds.
std::string scatter_svg(const std::string& title, const std::string& unit,
                        const std::vector<ScatterSeries>& series);

}  // namespace phaze::report
