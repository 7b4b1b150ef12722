#include "presets/clusters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/documents.h"

namespace phaze::presets {
namespace {

TEST(Clusters, AllLoadAndCiteTheirSource) {
  const std::vector<std::string> expected = {"flat",     "dgx-a100",    "a100-800g", "dgx-h100",
                                             "dgx-h200", "gb200-nvl72", "tpuv4-pod", "tpuv5e-pod"};
  EXPECT_EQ(cluster_names(), expected);
  for (const std::string& name : cluster_names()) {
    Diagnostics diagnostics;
    const std::optional<hw::Cluster> cluster = load_cluster(name, {}, diagnostics);
    ASSERT_TRUE(cluster) << to_string(diagnostics);
    EXPECT_EQ(cluster->name, name);
    EXPECT_FALSE(cluster->title.empty());
    EXPECT_FALSE(cluster->source.empty());
    EXPECT_EQ(cluster->calibration.empty(), name == "flat") << name;
  }
}

TEST(Clusters, PublishedFigures) {
  Diagnostics diagnostics;
  const hw::Cluster a100 = load_cluster("dgx-a100", {}, diagnostics).value();
  EXPECT_EQ(a100.levels[0].bandwidth, BytesPerSecond(300e9));
  EXPECT_EQ(a100.levels[1].bandwidth, BytesPerSecond(25e9));
  EXPECT_EQ(load_cluster("flat", {}, diagnostics)->levels[0].bandwidth,
            BytesPerSecond(4.0 * (1 << 30)));
  EXPECT_EQ(hw::device_count(*load_cluster("tpuv4-pod", {}, diagnostics)), 4096);
  EXPECT_EQ(hw::device_count(*load_cluster("tpuv5e-pod", {}, diagnostics)), 256);
  const hw::Cluster h100 = load_cluster("dgx-h100", {}, diagnostics).value();
  const hw::Cluster h200 = load_cluster("dgx-h200", {}, diagnostics).value();
  EXPECT_EQ(h100.levels, h200.levels);
  // The two A100 clusters differ outside only.
  const hw::Cluster narrow = load_cluster("a100-800g", {}, diagnostics).value();
  EXPECT_EQ(narrow.levels[0], a100.levels[0]);
  EXPECT_EQ(narrow.start, a100.start);
  EXPECT_EQ(narrow.copy_bandwidth, a100.copy_bandwidth);
  EXPECT_EQ(narrow.levels[1].bandwidth.value() * 8 / narrow.levels[1].oversubscription, 100e9);
}

TEST(Clusters, SettingsOfLevelsAndOfTheWhole) {
  Diagnostics diagnostics;
  const hw::Cluster cluster =
      load_cluster("dgx-a100",
                   {"infiniband.bandwidth=+100%", "cluster.nvlink.latency=1 us", "start=0 s",
                    "cluster.hierarchical=true", "infiniband.members=4"},
                   diagnostics)
          .value();
  EXPECT_EQ(cluster.levels[1].bandwidth, BytesPerSecond(50e9));
  EXPECT_EQ(cluster.levels[0].latency, Seconds(1e-6));
  EXPECT_EQ(cluster.start, Seconds(0));
  EXPECT_TRUE(cluster.hierarchical);
  EXPECT_EQ(hw::device_count(cluster), 32);
}

std::string fault_of(const std::string& name, const std::vector<std::string>& settings) {
  Diagnostics diagnostics;
  EXPECT_FALSE(load_cluster(name, settings, diagnostics));
  EXPECT_EQ(diagnostics.error_count(), 1U);
  return tests::lines_of(diagnostics)[0];
}

TEST(Clusters, Faults) {
  EXPECT_EQ(fault_of("dgx-a10", {}),
            "command line: error: CLUSTER: no built-in cluster and no file is called \"dgx-a10\"; "
            "did you mean dgx-a100? (`phaze clusters` lists them)");
  EXPECT_EQ(fault_of("no/such.yaml", {}), "no/such.yaml: error: no such file");
  EXPECT_EQ(fault_of("dgx-a100", {"nvlnk.bandwidth=1 GB/s"}),
            "command line: error: --set nvlnk.bandwidth: the cluster has no level nvlnk; did you "
            "mean nvlink?");
  EXPECT_EQ(fault_of("dgx-a100", {"nvlink.bandwith=1 GB/s"}),
            "command line: error: --set nvlink.bandwith: unknown key; did you mean bandwidth?");
  EXPECT_EQ(fault_of("dgx-a100", {"nvlink.members=0"}),
            "command line: error: --set nvlink.members: expected a whole number from 1 to 1000000, "
            "found 0");
}

TEST(Clusters, Files) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "phaze_clusters_test_two.yaml";
  std::ofstream(path) << "levels:\n - {name: a, kind: switch, members: 2, bandwidth: 1 GB/s, "
                         "latency: 1 us}\n";
  Diagnostics diagnostics;
  const std::optional<hw::Cluster> cluster = load_cluster(path.string(), {}, diagnostics);
  std::filesystem::remove(path);
  ASSERT_TRUE(cluster) << to_string(diagnostics);
  EXPECT_EQ(cluster->name, "phaze_clusters_test_two");
}

}  // namespace
}  // namespace phaze::presets
