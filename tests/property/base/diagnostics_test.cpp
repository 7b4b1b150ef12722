#include "base/diagnostics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace phaze {
namespace {

RC_GTEST_PROP(NearestNameProperty, ANameIsNearestToItself,
              (const std::vector<std::string>& names)) {
  RC_PRE(!names.empty());
  const std::string name = *rc::gen::elementOf(names);
  RC_PRE(!name.empty() && name.size() <= 100);
  RC_ASSERT(nearest_name(name, names) == name);
}

RC_GTEST_PROP(NearestNameProperty, TheAnswerIsOneOfTheNamesOrNothing,
              (const std::string& given, const std::vector<std::string>& names)) {
  const std::string near = nearest_name(given, names);
  RC_ASSERT(near.empty() || std::ranges::find(names, near) != names.end());
}

RC_GTEST_PROP(NearestNameProperty, OneLetterMissingIsFound, ()) {
  const auto name = *rc::gen::suchThat(rc::gen::container<std::string>(rc::gen::inRange('a', 'z')),
                                       [](const std::string& s) { return s.size() >= 2; });
  RC_PRE(name.size() <= 100u);
  std::string given = name;
  given.erase(*rc::gen::inRange<std::size_t>(0, name.size()), 1);
  RC_ASSERT(nearest_name(given, {name}) == name);
}

}  // namespace
}  // namespace phaze
