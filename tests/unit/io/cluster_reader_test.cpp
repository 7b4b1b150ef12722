#include "io/cluster_reader.h"

#include <gtest/gtest.h>

#include "io/cluster_json.h"
#include "support/documents.h"

namespace phaze::io {
namespace {

using Lines = std::vector<std::string>;

std::optional<hw::Cluster> read(const std::string& text, Diagnostics& diagnostics) {
  return read_cluster(tests::parse(text), "test", diagnostics);
}

hw::Cluster read(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<hw::Cluster> cluster = read(text, diagnostics);
  EXPECT_TRUE(cluster) << to_string(diagnostics);
  return cluster.value();
}

Lines faults_of(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read(text, diagnostics));
  return tests::lines_of(diagnostics);
}

// Place, key and first word of each message; the rest is the readers' of single values.
Lines places_of(const std::string& text) {
  Lines lines = faults_of(text);
  for (std::string& line : lines) {
    const std::size_t key = line.find(": ", line.find("error: ") + 7);
    line = line.substr(0, line.find(' ', key + 2)).substr(std::string("test.yaml:").size());
  }
  return lines;
}

// A level with these further keys, on line 2 of a file.
std::string with_level(const std::string& keys) { return "levels:\n - {name: a, " + keys + "}\n"; }

TEST(ClusterReader, ReadsEveryKey) {
  const hw::Cluster cluster = read(R"(
title: A cluster
source: a book
calibration: none
start: 10 us
copy_bandwidth: 1 TB/s
hierarchical: false
levels:
  - name: inside
    kind: switch
    members: 8
    bandwidth: 300 GB/s
    latency: 2 us
    efficiency: 0.8
    in_network_reduction: true
    in_network_efficiency: 0.6
    algorithms: [ring, halving_doubling]
  - {name: x, kind: torus, members: 4, bandwidth_bytes_per_s: 5.0e+9, latency_s: 1.0e-6, wraparound: false}
  - {name: outside, kind: fat_tree, members: any, bandwidth: 400 Gb/s, latency: 0 s, oversubscription: 3}
)");
  EXPECT_EQ(cluster.name, "test");
  EXPECT_EQ(cluster.title, "A cluster");
  EXPECT_DOUBLE_EQ(cluster.start.value(), 10e-6);
  EXPECT_EQ(cluster.copy_bandwidth, BytesPerSecond(1e12));
  EXPECT_FALSE(cluster.hierarchical);
  ASSERT_EQ(cluster.levels.size(), 3U);
  const hw::Level& inside = cluster.levels[0];
  EXPECT_EQ(inside.members, 8);
  EXPECT_EQ(inside.bandwidth, BytesPerSecond(300e9));
  EXPECT_EQ(inside.efficiency, 0.8);
  EXPECT_EQ(inside.in_network_efficiency, 0.6);
  EXPECT_EQ(inside.patterns, (hw::Patterns{false, true}));
  const hw::Level& x = cluster.levels[1];
  EXPECT_EQ(x.kind, hw::LevelKind::kTorus);
  EXPECT_EQ(x.latency, Seconds(1e-6));
  EXPECT_FALSE(x.wraparound);
  EXPECT_EQ(x.patterns, (hw::Patterns{false, false}));
  const hw::Level& outside = cluster.levels[2];
  EXPECT_EQ(outside.members, std::nullopt);
  EXPECT_EQ(outside.bandwidth, BytesPerSecond(50e9));
  EXPECT_EQ(outside.oversubscription, 3);
  EXPECT_EQ(outside.patterns, (hw::Patterns{true, true}));
}

TEST(ClusterReader, Defaults) {
  const hw::Cluster cluster =
      read(with_level("kind: switch, members: 2, bandwidth: 1 GB/s, latency: 1 us"));
  EXPECT_EQ(cluster.title, "test");
  EXPECT_EQ(cluster.start, Seconds(0));
  EXPECT_EQ(cluster.copy_bandwidth, std::nullopt);
  EXPECT_TRUE(cluster.hierarchical);
  EXPECT_EQ(cluster.levels[0].efficiency, 1);
  EXPECT_EQ(cluster.levels[0].in_network_efficiency, std::nullopt);
}

TEST(ClusterReader, ReductionInTheNetworkIsAsEfficientUnlessToldOtherwise) {
  const hw::Cluster cluster =
      read(with_level("kind: switch, members: 2, bandwidth: 1 GB/s, latency: 1 us, "
                      "efficiency: 0.7, in_network_reduction: true"));
  EXPECT_EQ(cluster.levels[0].in_network_efficiency, 0.7);
}

TEST(ClusterReader, AllFaultsAtOnceWithTheirPlaces) {
  EXPECT_EQ(places_of(R"(start: 2 GB
levels:
  - name: a
    kind: swich
    members: 0
    bandwidth: 0 GB/s
    latency: -1 us
    efficency: 0.9
  - {name: a, kind: torus, members: 1, bandwidth: 1 GB/s, latency: 2 s}
)"),
            (Lines{
                "1:8: error: start: expected",
                "4:11: error: levels[0].kind: expected",
                "5:14: error: levels[0].members: expected",
                "6:16: error: levels[0].bandwidth: expected",
                "7:14: error: levels[0].latency: expected",
                "8:16: error: levels[0].efficency: unknown",
                "9:37: error: levels[1].members: expected",
                "9:68: error: levels[1].latency: expected",
                "3:3: error: levels: two",
            }));
}

TEST(ClusterReader, RequiredKeys) {
  EXPECT_EQ(faults_of("levels:\n - {}\n").size(), 5U);
  EXPECT_EQ(faults_of("title: nothing else\n"),
            (Lines{"test.yaml:1:1: error: levels: expected one to 6 levels, found 0"}));
  EXPECT_EQ(faults_of("levels: 3\n"),
            (Lines{"test.yaml:1:9: error: levels: expected a list of levels, the innermost first, "
                   "found 3"}));
  EXPECT_EQ(faults_of("[1, 2]\n")[0], "test.yaml:1:1: error: expected a map, found a list of 2");
}

TEST(ClusterReader, KeysThatMeanNothingForAKind) {
  const std::string common = "members: 2, bandwidth: 1 GB/s, latency: 1 us, ";
  const auto message = [&](const std::string& keys) {
    const Lines lines = faults_of(with_level(common + keys));
    EXPECT_EQ(lines.size(), 1U) << tests::joined(lines);
    return lines[0].substr(lines[0].find("levels[0]"));
  };
  EXPECT_EQ(message("kind: switch, oversubscription: 2"),
            "levels[0].oversubscription: means nothing for a switch; a fat_tree has one");
  EXPECT_EQ(message("kind: switch, crossing_share: 0.5"),
            "levels[0].crossing_share: means nothing for a switch; a fat_tree has one");
  EXPECT_EQ(message("kind: fat_tree, wraparound: true"),
            "levels[0].wraparound: means nothing for a fat_tree");
  EXPECT_EQ(message("kind: ring, in_network_reduction: true"),
            "levels[0].in_network_reduction: means nothing for a ring, which has no switches");
  EXPECT_EQ(message("kind: switch, in_network_efficiency: 0.5"),
            "levels[0].in_network_efficiency: means nothing without in_network_reduction: true");
  EXPECT_EQ(
      message("kind: torus, algorithms: [ring, tree]"),
      "levels[0].algorithms[1]: expected ring, the only way between neighbours, found the text "
      "\"tree\"");
  EXPECT_EQ(message("kind: switch, algorithms: [tree]"),
            "levels[0].algorithms: expected ring among them: not every collective has another way");
  EXPECT_EQ(message("kind: switch, algorithms: [ring, tre]"),
            "levels[0].algorithms[1]: expected ring, tree or halving_doubling, found the text "
            "\"tre\"; did you mean tree?");
}

TEST(ClusterReader, AnyNumberOfMembersOutermostOnly) {
  const std::string level = "bandwidth: 1 GB/s, latency: 1 us}\n";
  EXPECT_EQ(
      faults_of("levels:\n - {name: a, kind: switch, members: any, " + level +
                " - {name: b, kind: switch, members: 2, " + level),
      (Lines{"test.yaml:2:37: error: levels[0].members: only the outermost level may have any "
             "number of members"}));
  EXPECT_EQ(
      faults_of("levels:\n - {name: a, kind: torus, members: any, " + level),
      (Lines{"test.yaml:2:36: error: levels[0].members: a torus closes only at a known number "
             "of members, found any"}));
}

TEST(ClusterReader, AbsurdSizes) {
  std::string text = "levels:\n";
  for (const char* name : {"a", "b", "c"}) {
    text += std::string(" - {name: ") + name +
            ", kind: switch, members: 1000, bandwidth: 1 GB/s, latency: 1 us}\n";
  }
  EXPECT_EQ(
      faults_of(text),
      (Lines{"test.yaml:2:2: error: levels: expected at most 16,777,216 devices in all, found "
             "more than that"}));
  std::string many = "levels:\n";
  for (int i = 0; i < 7; ++i) {
    many += " - {name: l" + std::to_string(i) +
            ", kind: switch, members: 2, bandwidth: 1 GB/s, latency: 1 us}\n";
  }
  EXPECT_EQ(faults_of(many),
            (Lines{"test.yaml:2:2: error: levels: expected one to 6 levels, found 7"}));
  EXPECT_EQ(faults_of(with_level("kind: switch, members: 2, bandwidth: 1e20 GB/s, latency: 1 us, "
                                 "efficiency: 1.5"))
                .size(),
            2U);
}

TEST(ClusterReader, NamesAreWords) {
  EXPECT_EQ(
      faults_of("levels:\n - {name: a.b, kind: switch, members: 2, bandwidth: 1 GB/s, "
                "latency: 1 us}\n"),
      (Lines{"test.yaml:2:11: error: levels[0].name: expected letters, digits, - and _, found "
             "\"a.b\""}));
}

TEST(ClusterJson, SaysWhatTheFileSaidAndWhatFollows) {
  const hw::Cluster cluster = read(
      "levels:\n - {name: a, kind: fat_tree, members: 4, bandwidth: 1 GB/s, latency: 1 us, "
      "oversubscription: 2, in_network_reduction: true}\n");
  const Value json = tests::parse(
      write_cluster(cluster, {{{4}, Bytes(100), Seconds(0.5), "ring", "bandwidth", "a"}}));
  EXPECT_EQ(json.find("schema")->integer, 1);
  EXPECT_EQ(json.find("devices")->integer, 4);
  EXPECT_EQ(json.find("copy_bandwidth_bytes_per_s")->kind, ValueKind::kNull);
  EXPECT_EQ(json.find("bisection_bytes_per_s")->number, 1e9);
  const Value& level = json.find("levels")->items[0];
  EXPECT_EQ(level.find("kind")->text, "fat_tree");
  EXPECT_EQ(level.find("oversubscription")->number, 2);
  EXPECT_EQ(level.find("in_network_efficiency")->number, 1);
  EXPECT_EQ(level.find("algorithms")->items.size(), 3U);
  const Value& sample = json.find("all_reduces")->items[0];
  EXPECT_EQ(sample.find("time_s")->number, 0.5);
  EXPECT_EQ(sample.find("members")->items[0].integer, 4);
  EXPECT_EQ(tests::parse(write_clusters({cluster})).items[0].find("name")->text, "test");
}

}  // namespace
}  // namespace phaze::io
