#pragma once
// The page of a report: one HTML file that holds the script, the style and the document it shows.
// web/ is its source.

#include <string>
#include <string_view>

namespace phaze::report {

// Without a document; empty where the program was built without it.
std::string_view page_template();

// The page with a JSON document in it. Whatever texts the document holds, none of it is markup.
std::string make_page(std::string_view page, std::string_view json);

}  // namespace phaze::report
