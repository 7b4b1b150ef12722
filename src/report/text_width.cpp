#include "report/text_width.h"

#include <algorithm>
#include <array>

namespace phaze::report {
namespace {

struct Range {
  char32_t first, last;
};

// The blocks that matter of Unicode Standard Annex 11 (wide) and of general categories Mn, Me, Cf.
constexpr std::array<Range, 13> kWide = {{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0xA4CF},
                                          {0xA960, 0xA97F},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1F64F},
                                          {0x1F680, 0x1F6FF},
                                          {0x1F900, 0x1FAFF},
                                          {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 9> kNone = {{{0x0300, 0x036F},
                                         {0x0483, 0x0489},
                                         {0x0591, 0x05BD},
                                         {0x0610, 0x061A},
                                         {0x064B, 0x065F},
                                         {0x200B, 0x200F},
                                         {0x202A, 0x202E},
                                         {0x20D0, 0x20F0},
                                         {0xFE00, 0xFE0F}}};

template <std::size_t Count>
bool is_in(const std::array<Range, Count>& ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [code](const Range& range) { return range.first <= code && code <= range.last; });
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    char32_t code = first;
    if (first >= 0xC0U) {
      code = first >= 0xF0U ? first & 0x07U : first >= 0xE0U ? first & 0x0FU : first & 0x1FU;
    }
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U) {
      code = (code << 6U) | (static_cast<unsigned char>(text[i++]) & 0x3FU);
    }
    width += is_in(kNone, code) ? 0 : is_in(kWide, code) ? 2 : 1;
  }
  return width;
}

}  // namespace phaze::report
