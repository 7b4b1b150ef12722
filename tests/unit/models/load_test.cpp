#include "models/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/graph_json.h"
#include "support/configs.h"
#include "support/documents.h"

namespace phaze::models {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// A folder of its own for each test.
class Load : public ::testing::Test {
 protected:
  Load() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("phaze_load_" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Load() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  std::optional<LoadedModel> load(const std::string& name) {
    diagnostics_ = {};
    return load_model(name, diagnostics_);
  }
  Lines faults(const std::string& name) {
    EXPECT_FALSE(load(name));
    return tests::lines_of(diagnostics_);
  }
  ModelSpec spec(const std::string& name) {
    const std::optional<LoadedModel> model = load(name);
    EXPECT_TRUE(model) << to_string(diagnostics_);
    return std::get<ModelSpec>(*model);
  }

  fs::path folder_;
  Diagnostics diagnostics_;
};

TEST_F(Load, ABuiltInNameComesFirst) {
  EXPECT_EQ(spec("gpt2-xl").hidden, 1600);
  EXPECT_EQ(spec("gpt2-xl").name, "gpt2-xl");
}

TEST_F(Load, AConfigurationIsNamedAfterItsFile) {
  const std::string path = write("tiny.yaml", tests::small_config("llama"));
  EXPECT_EQ(spec(path).name, "tiny");
  EXPECT_EQ(spec(path).source, path);
}

TEST_F(Load, AFolderMeansItsConfigJsonAndGivesTheName) {
  write("tiny-llama/config.json", R"({"model_type": "llama", "hidden_size": 64})");
  const std::string folder = (folder_ / "tiny-llama").string();
  EXPECT_EQ(spec(folder).name, "tiny-llama");
  EXPECT_EQ(spec(folder + "/").name, "tiny-llama");
  EXPECT_EQ(spec(folder + "/config.json").name, "tiny-llama");
  EXPECT_EQ(spec(folder + "/./config.json").name, "tiny-llama");
  EXPECT_EQ(spec(folder + "/../tiny-llama").hidden, 64);
}

TEST_F(Load, TheFolderOfAConfigurationMayBeTheOneWeAreIn) {
  Diagnostics diagnostics;
  const std::string text = R"({"model_type": "llama"})";
  for (const char* source : {"config.json", "./config.json"}) {
    const std::optional<LoadedModel> model = read_model(text, source, diagnostics);
    EXPECT_EQ(std::get<ModelSpec>(*model).name, fs::current_path().filename().string());
  }
  EXPECT_EQ(std::get<ModelSpec>(*read_model(text, "standard input", diagnostics)).name,
            "standard input");
}

TEST_F(Load, AGraphFileIsAGraph) {
  const graph::Model model = tests::build(tests::spec_of(tests::small_config("gpt2")));
  const std::string path = write("graph.json", io::write_graph(model));
  const std::optional<LoadedModel> loaded = load(path);
  ASSERT_TRUE(loaded) << to_string(diagnostics_);
  EXPECT_EQ(std::get<graph::Model>(*loaded).layers, model.layers);
  EXPECT_EQ(std::get<graph::Model>(*loaded).name, "graph");  // it had none
}

TEST_F(Load, AnUnknownNameAndTheNearest) {
  const Lines lines = faults("llama3-8");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "command line: error: MODEL: no built-in model and no file is called \"llama3-8\"; did "
            "you mean llama3-8b? (`phaze models` lists them)");
  EXPECT_EQ(faults("nonsense"),
            (Lines{"command line: error: MODEL: no built-in model and no file is called "
                   "\"nonsense\" (`phaze models` lists them)"}));
}

TEST_F(Load, WhatLooksLikeAFileIsMissedAsOne) {
  EXPECT_EQ(faults("missing.json"), (Lines{"missing.json: error: no such file"}));
  EXPECT_EQ(faults("no/where"), (Lines{"no/where: error: no such file"}));
}

TEST_F(Load, AFolderWithoutConfiguration) {
  const std::string folder = folder_.string();
  EXPECT_EQ(faults(folder), (Lines{folder + ": error: is a folder without config.json"}));
}

TEST_F(Load, AFileOfAnotherKind) {
  const std::string path = write("model.onnx", "\x08\x07");
  EXPECT_EQ(faults(path), (Lines{path + ": error: ONNX files cannot be read yet; give a "
                                        "config.json or a graph file"}));
}

TEST_F(Load, FaultsNameTheFile) {
  const std::string path = write("bad.yaml", "model_type: llama\nhidden_size: 0\n");
  EXPECT_EQ(faults(path), (Lines{path + ":2:14: error: hidden_size: expected a whole number from 1 "
                                        "to 1,048,576, found 0"}));
  const std::string broken = write("broken.json", "{\"model_type\": ");
  EXPECT_EQ(faults(broken).size(), 1u);
  EXPECT_TRUE(faults(broken)[0].starts_with(broken + ":"));
}

}  // namespace
}  // namespace phaze::models
