#include "report/page.h"

#include "base/check.h"
#include "embedded/pages.h"

namespace phaze::report {
namespace {

constexpr std::string_view kPlace = "__PHAZE_REPORT_DOCUMENT__";

}  // namespace

std::string_view page_template() { return embedded::pages().front().contents; }

std::string make_page(std::string_view page, std::string_view json) {
  const std::size_t at = page.find(kPlace);
  CHECK(at != std::string_view::npos && page.find(kPlace, at + 1) == std::string_view::npos,
        "the page has one place for the document");
  std::string text;
  text.reserve(page.size() + json.size() + json.size() / 16);
  text += page.substr(0, at);
  // In JSON these stand in texts alone, where an escape says the same: no end of the script element
  // and no comment can begin.
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else {
      text += c;
    }
  }
  text += page.substr(at + kPlace.size());
  return text;
}

}  // namespace phaze::report
