#pragma once
// A figure over a field as an SVG picture, a line a series.

#include <string>
#include <utility>
#include <vector>

namespace phaze::report {

struct LineSeries {
  std::string name;  // empty for the only one
  std::vector<std::pair<double, double>> points;
};

struct LinePicture {
  std::string title;
  std::string x, y;  // names of the axes, with units
  std::vector<LineSeries> series;
  std::vector<double> missing;  // of x, where there is nothing to show and why is no fault
};

// Points show their values when hovered over; series differ in colour and in shape. Y starts at 0
// where all of it is above. Readable on light and dark grounds.
std::string line_svg(const LinePicture& picture);

}  // namespace phaze::report
