#pragma once
// Pieces of SVG pictures. Inside report/ only.

#include <array>
#include <string>

namespace phaze::report::svg {

// Text that may stand in a document.
std::string escaped(const std::string& text);
// To a tenth.
std::string coordinate(double value);
std::string line(double x1, double y1, double x2, double y2, const std::string& style);
std::string text_at(double x, double y, const std::string& anchor, const std::string& content);

// Of a series of points.
struct Style {
  const char* colour;
  const char* path;  // around the origin
};
constexpr std::array<Style, 4> kStyles = {{{"#3b7dd8", "M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0"},
                                           {"#d8732b", "M-3,-3h6v6h-6z"},
                                           {"#3f9c52", "M0,-4l4,7h-8z"},
                                           {"#9b59b6", "M0,-4l4,4l-4,4l-4,-4z"}}};

// With a text that shows when it is hovered over, unless that is empty.
std::string marker(double x, double y, const Style& style, const std::string& hint);

}  // namespace phaze::report::svg
