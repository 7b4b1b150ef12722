// A cluster file from anywhere: refused with a reason, or a cluster on which every collective of a
// group has a time.
#include <cmath>

#include "cost/collective.h"
#include "finding.h"
#include "hw/cluster.h"
#include "io/cluster_json.h"
#include "io/cluster_reader.h"

namespace phaze::fuzz {
namespace {

void run(std::string_view text) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "cluster.yaml", diagnostics);
  expect_reasons(document.has_value(), diagnostics);
  if (!document) {
    return;
  }
  const auto cluster = io::read_cluster(*document, "cluster", diagnostics);
  expect_reasons(cluster.has_value(), diagnostics);
  if (!cluster) {
    return;
  }
  expect(!io::write_cluster(*cluster, {}).empty(), "nothing was written");
  Choices choices(text);
  cost::Group group;
  for (std::size_t i = 0; i < cluster->levels.size(); ++i) {
    const std::int64_t most = cluster->levels[i].members.value_or(1000);
    group.spans[i].members =
        1 + static_cast<std::int64_t>(choices.pick(static_cast<std::uint64_t>(most)));
    group.spans[i].sharing = 1 + static_cast<std::int64_t>(choices.pick(8));
  }
  const Bytes bytes(static_cast<std::int64_t>(choices.pick(std::uint64_t{1} << 40U)));
  for (std::size_t i = 0; i < cost::kCollectives; ++i) {
    const double time =
        cost::compute_collective(*cluster, static_cast<cost::Collective>(i), bytes, group)
            .time.value();
    expect(std::isfinite(time) && time >= 0, "a time that is none");
  }
}

}  // namespace

// What a cluster may say.
std::vector<std::string> words() {
  return {"levels",
          "name",
          "kind",
          "members",
          "bandwidth",
          "latency",
          "efficiency",
          "switch",
          "fat_tree",
          "ring",
          "torus",
          "any",
          "wraparound",
          "oversubscription",
          "in_network_reduction",
          "algorithms",
          "tree",
          "halving_doubling",
          "hierarchical",
          "copy_bandwidth",
          "300 GB/s",
          "3.4 us",
          "start",
          "true",
          "in_network_efficiency"};
}

}  // namespace phaze::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= phaze::fuzz::kLongestInput) {
    phaze::fuzz::run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include "mutate.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string> kWords = phaze::fuzz::words();
  return phaze::fuzz::mutate_in_place(data, size, max_size, seed, kWords);
}
#endif
