#include "report/svg_parts.h"

#include <cmath>

#include "base/text.h"

namespace phaze::report::svg {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string coordinate(double value) { return shortest(std::round(value * 10) / 10); }

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" +
         coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\" " + style + "/>\n";
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& content) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" + anchor +
         "\">" + escaped(content) + "</text>\n";
}

std::string marker(double x, double y, const Style& style, const std::string& hint) {
  return "<path transform=\"translate(" + coordinate(x) + "," + coordinate(y) + ")\" d=\"" +
         style.path + "\" fill=\"" + style.colour + "\" fill-opacity=\"0.65\">" +
         (hint.empty() ? "" : "<title>" + escaped(hint) + "</title>") + "</path>\n";
}

}  // namespace phaze::report::svg
