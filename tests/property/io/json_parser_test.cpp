#include "io/json_parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "support/documents.h"
#include "support/values.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

rc::Gen<std::string> plain_text() {
  return rc::gen::container<std::string>(rc::gen::inRange(' ', '\x7F'));
}

Json any_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 9 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<double>();
    case 4:
      return *plain_text();
    case 5:
    case 6: {
      Json list = Json::array();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        list.push_back(any_json(depth - 1));
      }
      return list;
    }
    default: {
      Json map = Json::object();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        map[*plain_text()] = any_json(depth - 1);
      }
      return map;
    }
  }
}

// What it reads is what the reader of YAML reads; what it leaves holds an escape or is a scalar.
RC_GTEST_PROP(JsonParser, AgreesWithTheReaderOfYaml, ()) {
  const Json json = any_json(4);
  const std::string text = json.dump(*rc::gen::inRange(-1, 4));
  const std::optional<Value> value = parse_plain_json(text, "in.json");
  if (!value) {
    RC_ASSERT(!json.is_structured() || text.find('\\') != std::string::npos);
    return;
  }
  RC_ASSERT(tests::difference(*value, tests::parse(text + "\n# end\n", "in.json")) == "");
}

}  // namespace
}  // namespace phaze::io
