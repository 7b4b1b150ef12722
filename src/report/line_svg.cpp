#include "report/line_svg.h"

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
using svg::text_at;

constexpr double kWidth = 560, kHeight = 360;  // of the plot
constexpr double kLeft = 90, kTop = 50, kRight = 220, kBottom = 60;

// 1, 2 or 5 times a power of ten, for about so many steps.
double step_for(double span, double steps) {
  const double rough = span / steps;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

struct Axis {
  double low = 0, high = 1, step = 1;

  double at(double value, double length) const { return (value - low) / (high - low) * length; }
};

Axis axis_of(double least, double most, bool from_zero) {
  least = from_zero && least > 0 ? 0 : least;
  if (most <= least) {
    const double room = least == 0 ? 1 : std::abs(least) * 0.1;
    most = least + room;
    least -= from_zero ? 0 : room;
  }
  Axis axis;
  axis.step = step_for(most - least, 5);
  axis.low = std::floor(least / axis.step) * axis.step;
  axis.high = std::ceil(most / axis.step) * axis.step;
  return axis;
}

std::string frame(const LinePicture& picture, const Axis& x, const Axis& y) {
  std::string out;
  constexpr double kSlack = 1e-9;
  for (int i = 0; x.low + i * x.step <= x.high + kSlack * x.step; ++i) {
    const double value = x.low + i * x.step;
    const double at = kLeft + x.at(value, kWidth);
    out += line(at, kTop, at, kTop + kHeight, "stroke=\"#dddddd\"");
    out += text_at(at, kTop + kHeight + 18, "middle", with_prefix(value, ""));
  }
  for (int i = 0; y.low + i * y.step <= y.high + kSlack * y.step; ++i) {
    const double value = y.low + i * y.step;
    const double at = kTop + kHeight - y.at(value, kHeight);
    out += line(kLeft, at, kLeft + kWidth, at, "stroke=\"#dddddd\"");
    out += text_at(kLeft - 8, at + 4, "end", with_prefix(value, ""));
  }
  out += text_at(kLeft + kWidth / 2, kTop + kHeight + 42, "middle", picture.x);
  out += "<text transform=\"translate(18," + coordinate(kTop + kHeight / 2) +
         ") rotate(-90)\" text-anchor=\"middle\">" + escaped(picture.y) + "</text>\n";
  for (const double missing : picture.missing) {
    const double at = kLeft + x.at(missing, kWidth);
    out += "<text x=\"" + coordinate(at) + "\" y=\"" + coordinate(kTop + kHeight - 6) +
           "\" text-anchor=\"middle\" fill=\"#b03030\">x<title>infeasible</title></text>\n";
  }
  return out;
}

}  // namespace

std::string line_svg(const LinePicture& picture) {
  std::vector<double> xs = picture.missing, ys;
  for (const LineSeries& series : picture.series) {
    for (const auto& [x, y] : series.points) {
      xs.push_back(x);
      ys.push_back(y);
    }
  }
  const auto range = [](const std::vector<double>& values, bool from_zero) {
    return values.empty() ? Axis()
                          : axis_of(*std::ranges::min_element(values),
                                    *std::ranges::max_element(values), from_zero);
  };
  const Axis x = range(xs, false), y = range(ys, true);
  const double width = kLeft + kWidth + kRight, height = kTop + kHeight + kBottom;
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + coordinate(width) + " " +
      coordinate(height) + "\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) +
      "\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>" +
      escaped(picture.title) +
      "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<g fill=\"#333333\">\n";
  out += "<text x=\"" + coordinate(kLeft) + "\" y=\"28\" font-size=\"16\">" +
         escaped(picture.title) + "</text>\n" + frame(picture, x, y);
  for (std::size_t i = 0; i < picture.series.size(); ++i) {
    const svg::Style& style = kStyles[i % kStyles.size()];
    const LineSeries& series = picture.series[i];
    std::string path;
    for (const auto& [at_x, at_y] : series.points) {
      path += (path.empty() ? "" : " ") + coordinate(kLeft + x.at(at_x, kWidth)) + "," +
              coordinate(kTop + kHeight - y.at(at_y, kHeight));
    }
    out += "<polyline points=\"" + path + "\" fill=\"none\" stroke=\"" + style.colour +
           "\" stroke-width=\"1.5\"/>\n";
    for (const auto& [at_x, at_y] : series.points) {
      out += marker(kLeft + x.at(at_x, kWidth), kTop + kHeight - y.at(at_y, kHeight), style,
                    (series.name.empty() ? "" : series.name + ": ") + shortest(at_x) + ", " +
                        with_prefix(at_y, ""));
    }
    if (!series.name.empty()) {
      const double at = kTop + 14 + 20 * static_cast<double>(i);
      out += marker(kLeft + kWidth + 20, at - 4, style, "");
      out += text_at(kLeft + kWidth + 32, at, "start", series.name);
    }
  }
  if (!picture.missing.empty()) {
    out += text_at(kLeft + kWidth + 14, kTop + kHeight, "start", "x: infeasible");
  }
  return out + "</g>\n</svg>\n";
}

}  // namespace phaze::report
