// Plans are written and read back the same, to the last bit.
#include "io/plan_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/documents.h"
#include "support/pipeline_plans.h"

namespace phaze::io {
namespace {

RC_GTEST_PROP(PlanJson, RoundTrip, ()) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  const plan::PlanRecord record = tests::random_record(rng);
  const std::string text = write_plan(record);
  Diagnostics diagnostics;
  const auto again = read_plan(tests::parse(text), diagnostics);
  RC_LOG() << text << to_string(diagnostics);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == record);
  RC_ASSERT(write_plan(*again) == text);
}

}  // namespace
}  // namespace phaze::io
