#pragma once
// How many columns of a terminal a text takes.

#include <cstddef>
#include <string_view>

namespace phaze::report {

// Of UTF-8: two for a wide character (East Asian, emoji), none for one that is drawn over the one
// before or not at all, one for any other.
std::size_t text_width(std::string_view text);

}  // namespace phaze::report
