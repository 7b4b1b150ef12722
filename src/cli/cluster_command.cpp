#include <array>
#include <memory>
#include <sstream>

#include "base/check.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cost/collective.h"
#include "io/cluster_json.h"
#include "presets/clusters.h"
#include "report/table.h"

namespace phaze::cli {
namespace {

using report::Align;

struct ClusterOptions : CommonOptions {
  std::string cluster;
  std::vector<std::string> settings;
};

// Parts that a level of any size is shown with.
constexpr std::int64_t kShownMembers = 16;
constexpr std::array<std::int64_t, 6> kShownBytes = {
    std::int64_t{64} << 10, std::int64_t{1} << 20,   std::int64_t{16} << 20,
    std::int64_t{64} << 20, std::int64_t{256} << 20, std::int64_t{1} << 30};

std::string members_text(const hw::Level& level) {
  return level.members ? with_thousands(*level.members) : "any";
}

// "8 x 16 x 16", "8 x any".
std::string shape_text(const hw::Cluster& cluster) {
  std::string text;
  for (const hw::Level& level : cluster.levels) {
    text += (text.empty() ? "" : " x ") + members_text(level);
  }
  return text;
}

std::string rate_text(const std::optional<BytesPerSecond>& rate) {
  return rate ? with_prefix(rate->value(), "B/s") : "-";
}

// The groups that people ask about: all devices of a unit of each level, and one device of each
// part of a level while the other devices of the parts do the same.
std::vector<cost::Group> shown_groups(const hw::Cluster& cluster) {
  std::vector<cost::Group> groups;
  std::int64_t part = 1;
  for (const hw::Level& level : cluster.levels) {
    const std::int64_t members = level.members.value_or(kShownMembers);
    if (part > 1 && members > 1) {
      groups.push_back(*cost::place_group(cluster, members, part, cost::Company::kAll));
    }
    part *= members;
    if (members > 1) {
      groups.push_back(*cost::place_group(cluster, part, 1, cost::Company::kAll));
    }
  }
  return groups;
}

std::vector<std::int64_t> members_of(const cost::Group& group, std::size_t levels) {
  std::vector<std::int64_t> members;
  for (std::size_t i = 0; i < levels; ++i) {
    members.push_back(group.spans[i].members);
  }
  return members;
}

std::vector<io::CollectiveSample> sample_all_reduces(const hw::Cluster& cluster) {
  std::vector<io::CollectiveSample> samples;
  for (const std::int64_t bytes : kShownBytes) {
    for (const cost::Group& group : shown_groups(cluster)) {
      const cost::CollectiveCost cost =
          cost::compute_collective(cluster, cost::Collective::kAllReduce, Bytes(bytes), group);
      samples.push_back({members_of(group, cluster.levels.size()), Bytes(bytes), cost.time,
                         std::string(cost::to_string(cost.algorithm)),
                         std::string(cost::to_string(cost.bound)),
                         cluster.levels[cost.level].name});
    }
  }
  return samples;
}

std::string levels_table(const hw::Cluster& cluster) {
  report::Table table({{"level", Align::kLeft},
                       {"kind", Align::kLeft},
                       {"members", Align::kRight},
                       {"a device sends", Align::kRight},
                       {"sustained", Align::kRight},
                       {"reducing", Align::kRight},
                       {"oversubscribed", Align::kRight},
                       {"latency", Align::kRight},
                       {"bisection", Align::kRight}});
  for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
    const hw::Level& level = cluster.levels[i];
    const bool is_open = hw::has_neighbours_only(level.kind) && !level.wraparound;
    std::optional<BytesPerSecond> reducing;
    if (level.in_network_efficiency) {
      reducing = level.bandwidth * *level.in_network_efficiency;
    }
    table.add_row({level.name, std::string(hw::to_string(level.kind)) + (is_open ? ", open" : ""),
                   members_text(level), rate_text(level.bandwidth),
                   rate_text(level.bandwidth * level.efficiency), rate_text(reducing),
                   level.oversubscription > 1 ? shortest(level.oversubscription) : "-",
                   with_prefix(level.latency.value(), "s"),
                   rate_text(hw::bisection_bandwidth(cluster, i))});
  }
  return table.to_string(2);
}

std::string group_text(const std::vector<std::int64_t>& members) {
  std::string text;
  for (const std::int64_t count : members) {
    text += (text.empty() ? "" : " x ") + std::to_string(count);
  }
  return text;
}

std::string all_reduce_table(const std::vector<io::CollectiveSample>& samples) {
  if (samples.empty()) {
    return "";
  }
  std::vector<report::Table::Column> columns = {{"all-reduce of", Align::kRight}};
  for (const io::CollectiveSample& sample : samples) {
    if (sample.bytes == samples.front().bytes) {
      columns.push_back({group_text(sample.members), Align::kRight});
    }
  }
  const std::size_t groups = columns.size() - 1;
  report::Table table(std::move(columns));
  for (std::size_t i = 0; i < samples.size(); i += groups) {
    std::vector<std::string> row = {with_binary_prefix(samples[i].bytes.value())};
    for (std::size_t j = i; j < i + groups; ++j) {
      row.push_back(with_prefix(samples[j].time.value(), "s") + " " + samples[j].algorithm);
    }
    table.add_row(std::move(row));
  }
  return "\n" + table.to_string(2) +
         "\n  Groups are members at each level, inside out; all devices are in such a group, and "
         "all\n  groups communicate at once.\n";
}

// "Title: text", in lines of at most a hundred characters.
std::string paragraph(const std::string& title, const std::string& text) {
  constexpr std::size_t kWidth = 100;
  if (text.empty()) {
    return "";
  }
  std::string result = "\n ";
  std::size_t length = 1;
  std::istringstream words(title + ": " + text);
  for (std::string word; words >> word;) {
    if (length + 1 + word.size() > kWidth) {
      result += "\n ";
      length = 1;
    }
    result += " " + printable(word);
    length += 1 + word.size();
  }
  return result + "\n";
}

std::string cluster_text(const hw::Cluster& cluster,
                         const std::vector<io::CollectiveSample>& samples) {
  const std::optional<std::int64_t> devices = hw::device_count(cluster);
  std::string text = printable(cluster.name) + " (" + printable(cluster.title) + ")\n";
  text += "  " + (devices ? with_thousands(*devices) : std::string("any number of")) +
          (devices == 1 ? " device, " : " devices, ") + shape_text(cluster) + "   bisection " +
          rate_text(hw::bisection_bandwidth(cluster)) + "   start of a collective " +
          with_prefix(cluster.start.value(), "s") + "\n\n";
  text += levels_table(cluster) + all_reduce_table(samples);
  return text + paragraph("Source", cluster.source) + paragraph("Calibration", cluster.calibration);
}

int run_cluster(const ClusterOptions& options) {
  Diagnostics diagnostics;
  const std::optional<hw::Cluster> cluster =
      presets::load_cluster(options.cluster, options.settings, diagnostics);
  if (!cluster) {
    return report_bad_input(diagnostics);
  }
  const std::vector<io::CollectiveSample> samples = sample_all_reduces(*cluster);
  return print(options.json ? io::write_cluster(*cluster, samples)
                            : for_people(cluster_text(*cluster, samples)));
}

int run_clusters(const CommonOptions& options) {
  std::vector<hw::Cluster> clusters;
  for (const std::string& name : presets::cluster_names()) {
    Diagnostics diagnostics;
    const std::optional<hw::Cluster> cluster = presets::load_cluster(name, {}, diagnostics);
    CHECK(cluster, to_string(diagnostics));
    clusters.push_back(*cluster);
  }
  if (options.json) {
    return print(io::write_clusters(clusters));
  }
  report::Table table({{"name", Align::kLeft},
                       {"cluster", Align::kLeft},
                       {"devices", Align::kLeft},
                       {"inside", Align::kRight},
                       {"outside", Align::kRight}});
  for (const hw::Cluster& cluster : clusters) {
    table.add_row({cluster.name, cluster.title, shape_text(cluster),
                   rate_text(cluster.levels.front().bandwidth),
                   cluster.levels.size() > 1 ? rate_text(cluster.levels.back().bandwidth) : "-"});
  }
  return print(
      for_people(table.to_string(0) +
                 "\nRates are what one device sends. A CLUSTER may also be a YAML file.\n"));
}

}  // namespace

void add_clusters_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("clusters", "List the built-in clusters");
  const auto options = std::make_shared<CommonOptions>();
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_clusters(*options); }; });
}

void add_cluster_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "cluster", "One cluster: levels, rates, bisection, times of all-reduces");
  const auto options = std::make_shared<ClusterOptions>();
  command->add_option("CLUSTER", options->cluster, "Built-in name or YAML file")->required();
  command
      ->add_option("--set", options->settings,
                   "Change a field: LEVEL.FIELD=VALUE or FIELD=VALUE, such as "
                   "infiniband.bandwidth=+20% or start=\"10 us\"; may be given several times")
      ->allow_extra_args(false);
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_cluster(*options); }; });
}

}  // namespace phaze::cli
