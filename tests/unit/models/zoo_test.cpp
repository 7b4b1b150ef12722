#include "models/zoo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/build.h"

namespace phaze::models {
namespace {

TEST(Zoo, EveryModelHasATitleASourceAndAConfiguration) {
  const std::vector<std::string> names = zoo_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  std::set<std::string> titles;
  for (const std::string& name : names) {
    const std::optional<ZooModel> model = find_zoo_model(name);
    ASSERT_TRUE(model) << name;
    EXPECT_EQ(model->spec.name, name);
    EXPECT_TRUE(titles.insert(model->title).second) << model->title;
    EXPECT_GT(model->spec.source.size(), 10u) << name;
    EXPECT_FALSE(model->spec.architecture.empty()) << name;
    EXPECT_GT(model->spec.default_sequence, 0) << name;
    EXPECT_EQ(tensor_widths(model->spec).front(), 1) << name;
  }
}

TEST(Zoo, AnUnknownNameIsNone) {
  EXPECT_FALSE(find_zoo_model("llama3"));
  EXPECT_FALSE(find_zoo_model(""));
}

// As the models' publishers count them (weights of the checkpoint named in each file's source).
TEST(Zoo, ParameterCountsAreThePublishedOnes) {
  const std::pair<const char*, std::int64_t> published[] = {
      {"bert-large", 335174458},     {"gpt2-xl", 1557611200},     {"opt-350m", 331196416},
      {"llama2-7b", 6738415616},     {"llama3-8b", 8030261248},   {"llama2-13b", 13015864320},
      {"llama2-70b", 68976648192},   {"llama3-70b", 70553706496}, {"llama3-405b", 405853388800},
      {"mistral-7b", 7241732096},    {"qwen2.5-7b", 7615616512},  {"qwen2.5-72b", 72706203648},
      {"mixtral-8x7b", 46702792704}, {"phi-2", 2779683840},       {"gpt-neox-20b", 20554567680},
      {"vit-l", 304326632},          {"t5-large", 737668096},
  };
  for (const auto& [name, parameters] : published) {
    const std::optional<ZooModel> model = find_zoo_model(name);
    ASSERT_TRUE(model) << name;
    EXPECT_EQ(count_parameters(model->spec), parameters) << name;
  }
}

// The sequence that a model was trained on, where its longest is another.
TEST(Zoo, AFileMayNameItsSequence) {
  EXPECT_EQ(find_zoo_model("mixtral-8x7b")->spec.default_sequence, 8192);
  EXPECT_EQ(find_zoo_model("gpt2-xl")->spec.default_sequence, 1024);
}

}  // namespace
}  // namespace phaze::models
