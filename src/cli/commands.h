#pragma once
// The commands. Each adds itself to the program and says what to run when it was chosen.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace phaze::cli {

// Exit codes of the contract.
inline constexpr int kAnswer = 0;
inline constexpr int kNoAnswer = 1;
inline constexpr int kBadInput = 2;

using Action = std::function<int()>;

// What every command takes.
struct CommonOptions {
  bool json = false;
  int threads = 0;  // 0: all
};

void add_common_options(CLI::App& command, CommonOptions& options);

// The whole program: a command with its arguments; its exit code.
int run_words(const std::vector<std::string>& words);

// Of an option: digits that say a number from 1 on, and nothing else (CLI11 alone would read 010 as
// eight, and the empty text as zero).
CLI::Validator whole_number();
// Of an option: a number above zero that is finite.
CLI::Validator positive_number();
CLI::Validator number_from_zero();

void add_models_command(CLI::App& program, Action& action);
void add_graph_command(CLI::App& program, Action& action);
void add_chips_command(CLI::App& program, Action& action);
void add_chip_command(CLI::App& program, Action& action);
void add_batch_command(CLI::App& program, Action& action);
void add_compare_command(CLI::App& program, Action& action);
void add_sweep_command(CLI::App& program, Action& action);
void add_export_command(CLI::App& program, Action& action);
void add_estimate_command(CLI::App& program, Action& action);
void add_schedule_command(CLI::App& program, Action& action);
void add_place_command(CLI::App& program, Action& action);
void add_report_command(CLI::App& program, Action& action);
void add_reproduce_command(CLI::App& program, Action& action);
void add_search_command(CLI::App& program, Action& action);
void add_simulate_command(CLI::App& program, Action& action);
void add_spaces_command(CLI::App& program, Action& action);
void add_study_command(CLI::App& program, Action& action);
void add_calibrate_command(CLI::App& program, Action& action);
void add_validate_command(CLI::App& program, Action& action);
void add_clusters_command(CLI::App& program, Action& action);
void add_cluster_command(CLI::App& program, Action& action);

}  // namespace phaze::cli
