#include "report/scatter_svg.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/svg_parts.h"

namespace phaze::report {
namespace {

using svg::coordinate;
using svg::escaped;
using svg::kStyles;
using svg::line;
using svg::marker;
using svg::Style;
using svg::text_at;

constexpr double kSide = 460;  // of the square plot
constexpr double kLeft = 80, kTop = 50, kRight = 230, kBottom = 60;

struct Axis {
  double low, high;  // powers of ten
  double at(double value) const { return (std::log10(value) - low) / (high - low) * kSide; }
};

Axis axis_of(const std::vector<ScatterSeries>& series) {
  double least = 1e300;
  double most = 1e-300;
  for (const ScatterSeries& one : series) {
    for (const ScatterPoint& point : one.points) {
      least = std::min({least, point.measured, point.predicted});
      most = std::max({most, point.measured, point.predicted});
    }
  }
  if (least > most) {
    return {0, 1};
  }
  Axis axis{std::floor(std::log10(least)), std::ceil(std::log10(most))};
  axis.high = std::max(axis.high, axis.low + 1);
  return axis;
}

// A line of constant ratio, where it crosses the square.
std::string ratio_line(const Axis& axis, double ratio, const std::string& style) {
  const double shift = std::log10(ratio) / (axis.high - axis.low) * kSide;
  const double from = std::max(0.0, -shift);
  const double to = std::min(kSide, kSide - shift);
  return line(kLeft + from, kTop + kSide - from - shift, kLeft + to, kTop + kSide - to - shift,
              style);
}

}  // namespace

std::string scatter_svg(const std::string& title, const std::string& unit,
                        const std::vector<ScatterSeries>& series) {
  const Axis axis = axis_of(series);
  const double width = kLeft + kSide + kRight;
  const double height = kTop + kSide + kBottom;
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + coordinate(width) + " " +
      coordinate(height) + "\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) +
      "\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>" + escaped(title) +
      ": predicted against measured</title>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n<g fill=\"#333333\">\n";
  svg += "<text x=\"" + coordinate(kLeft) + "\" y=\"28\" font-size=\"16\">" + escaped(title) +
         "</text>\n";
  for (double power = axis.low; power <= axis.high; power += 1) {
    const double at = (power - axis.low) / (axis.high - axis.low) * kSide;
    const std::string label = with_prefix(std::pow(10, power), unit);
    svg += line(kLeft + at, kTop, kLeft + at, kTop + kSide, "stroke=\"#dddddd\"");
    svg += line(kLeft, kTop + kSide - at, kLeft + kSide, kTop + kSide - at, "stroke=\"#dddddd\"");
    svg += text_at(kLeft + at, kTop + kSide + 18, "middle", label);
    svg += text_at(kLeft - 8, kTop + kSide - at + 4, "end", label);
  }
  svg += text_at(kLeft + kSide / 2, kTop + kSide + 42, "middle", "measured");
  svg += "<text transform=\"translate(18," + coordinate(kTop + kSide / 2) +
         ") rotate(-90)\" text-anchor=\"middle\">predicted</text>\n";
  svg += ratio_line(axis, 1, "stroke=\"#333333\"");
  svg += ratio_line(axis, 1.1, "stroke=\"#999999\" stroke-dasharray=\"4 3\"");
  svg += ratio_line(axis, 1 / 1.1, "stroke=\"#999999\" stroke-dasharray=\"4 3\"");
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Style& style = kStyles[i % kStyles.size()];
    for (const ScatterPoint& point : series[i].points) {
      const double error = point.predicted / point.measured - 1;
      svg += marker(kLeft + axis.at(point.measured), kTop + kSide - axis.at(point.predicted), style,
                    point.label + ": " + with_prefix(point.measured, unit) + " measured, " +
                        with_prefix(point.predicted, unit) + " predicted, " +
                        shortest(std::round(error * 1000) / 10) + " %");
    }
    const double y = kTop + 14 + 20 * static_cast<double>(i);
    svg += marker(kLeft + kSide + 20, y - 4, style, "");
    svg += text_at(kLeft + kSide + 32, y, "start",
                   series[i].name + " (" + std::to_string(series[i].points.size()) + ")");
  }
  svg += text_at(kLeft + kSide + 14, kTop + kSide, "start", "dashed: 10 % off");
  return svg + "</g>\n</svg>\n";
}

}  // namespace phaze::report
