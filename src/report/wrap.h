#pragma once
// Free text broken into lines that a terminal has room for.

#include <cstddef>
#include <string>
#include <string_view>

namespace phaze::report {

// Lines of more than `width` columns go on below, broken at blanks: two columns further in, or
// below the text where a label and two blanks or more stand before it. Lines with more blanks like
// these are rows of tables and stay as they are, and so does a word that is longer than a line.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace phaze::report
