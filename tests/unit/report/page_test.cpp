#include "report/page.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace phaze::report {
namespace {

constexpr std::string_view kPage = "<script>__PHAZE_REPORT_DOCUMENT__</script>";

TEST(Page, HoldsTheDocument) {
  EXPECT_EQ(make_page(kPage, R"({"a": 1})"), R"(<script>{"a": 1}</script>)");
}

TEST(Page, NoTextOfTheDocumentIsMarkup) {
  EXPECT_EQ(make_page(kPage, R"(["</script><!--&lt;"])"),
            R"(<script>["\u003c/script\u003e\u003c!--\u0026lt;"]</script>)");
}

TEST(Page, WhatTheDocumentSaysIsNoPlace) {
  EXPECT_EQ(make_page(kPage, R"("__PHAZE_REPORT_DOCUMENT__")"),
            R"(<script>"__PHAZE_REPORT_DOCUMENT__"</script>)");
}

TEST(Page, HasOnePlace) {
  EXPECT_THROW(make_page("<script></script>", "{}"), std::logic_error);
  EXPECT_THROW(make_page(std::string(kPage) + std::string(kPage), "{}"), std::logic_error);
}

TEST(Page, OfThisBuildTakesADocumentOrIsMissing) {
  const std::string_view page = page_template();
  if (!page.empty()) {
    EXPECT_NE(make_page(page, R"({"kind": "plan"})").find(R"({"kind": "plan"})"),
              std::string::npos);
  } else {
    EXPECT_THROW(make_page(page, "{}"), std::logic_error);
  }
}

}  // namespace
}  // namespace phaze::report
