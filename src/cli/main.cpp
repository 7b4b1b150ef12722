// phaze: the program. Parses the command line, runs one command, maps outcomes to exit codes.
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "base/diagnostics.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"

namespace phaze::cli {

void add_common_options(CLI::App& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "One JSON document on standard output");
  command
      .add_option("--threads", options.threads,
                  "Threads to use (default: all); the answer does not depend on it")
      ->check(whole_number());
}

CLI::Validator whole_number() {
  constexpr std::size_t kMostDigits = 18;  // fits any 64-bit number; limits are the commands' own
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const bool has_digits = text.find_first_not_of("0123456789") == std::string::npos;
        if (has_digits && !text.empty() && text[0] != '0' && text.size() <= kMostDigits) {
          return "";
        }
        return "expected a whole number from 1" +
               std::string(has_digits && text.size() > kMostDigits ? " and below 10^18" : "") +
               ", found \"" + text + "\"";
      },
      "");
}

namespace {

CLI::Validator number(bool may_be_zero) {
  return CLI::Validator(
      [may_be_zero](const std::string& text) -> std::string {
        // Beyond these nobody means it, and what is made of it may be no number any more.
        constexpr double kLeast = 1e-12, kMost = 1e12;
        double number = 0;
        const char* end = text.data() + text.size();
        const auto [last, error] = std::from_chars(text.data(), end, number);
        const bool is_number = error == std::errc() && last == end && std::isfinite(number);
        if (is_number && ((number >= kLeast && number <= kMost) || (number == 0 && may_be_zero))) {
          return "";
        }
        const std::string expected = is_number && number > 0 ? "from 1e-12 to 1e12"
                                     : may_be_zero           ? "from 0"
                                                             : "above 0";
        return "expected a number " + expected + ", found \"" + text + "\"";
      },
      "");
}

}  // namespace

CLI::Validator positive_number() { return number(false); }

CLI::Validator number_from_zero() { return number(true); }

namespace {

// What is wrong with the command line, with the nearest name for a misspelt one.
std::string explain(const CLI::App& program, const CLI::ParseError& error,
                    const std::vector<std::string>& words) {
  std::string message = error.what();
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  std::vector<std::string> known;
  const std::vector<std::string> before = program.remaining();
  if (chosen.empty()) {
    std::string list;
    for (const CLI::App* command : program.get_subcommands({})) {
      known.push_back(command->get_name());
      list += (list.empty() ? "" : ", ") + command->get_name();
    }
    const std::string first = words.empty() ? "" : words[0];
    const bool is_option = first.starts_with("-");
    message = words.empty() ? "expected a command"
              : is_option   ? "expected a command before \"" + first + "\"" +
                                did_you_mean(first, {"--help", "--version"})
                          : "unknown command \"" + first + "\"" + did_you_mean(first, known);
    message += " (commands: " + list + ")";
  } else if (!before.empty()) {
    message = "unexpected \"" + before[0] + "\" before the command; its options follow its name";
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const CLI::Option* option : chosen[0]->get_options()) {
      if (!option->get_positional()) {
        known.push_back(option->get_name());
      }
    }
    const std::vector<std::string> extras = chosen[0]->remaining(true);
    if (!extras.empty()) {
      const std::string name = extras[0].substr(0, extras[0].find('='));
      message = "unexpected \"" + extras[0] + "\"" + did_you_mean(name, known);
    }
  }
  // "--devices: At Most 1 required but received 2"
  if (const std::size_t at = message.find(": At Most 1 required"); at != std::string::npos) {
    message = message.substr(0, at) + " is there twice";
  }
  const std::string help =
      chosen.empty() ? "phaze --help" : "phaze " + chosen[0]->get_name() + " --help";
  return "phaze: error: " + printable(message) + "\n       `" + help + "` explains every option.\n";
}

// CLI11 takes every word that begins with dashes for an option. Those that are none, the command
// after `sweep ... --` and the arguments after `place --from PROGRAM`, go behind an equals sign.
std::vector<std::string> with_plain_words(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != "sweep" && words[0] != "place")) {
    return words;
  }
  std::vector<std::string> plain;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[0] == "sweep" && words[i] == "--") {
      for (++i; i < words.size(); ++i) {
        plain.push_back("--then=" + words[i]);
      }
    } else if (words[0] == "place" && words[i] == "--from" && i + 2 < words.size()) {
      plain.push_back("--from=" + words[i + 1]);
      plain.push_back("--from-arguments=" + words[i + 2]);
      i += 2;
    } else {
      plain.push_back(words[i]);
    }
  }
  return plain;
}

}  // namespace

int run_words(const std::vector<std::string>& words) {
  CLI::App program(
      "Phaze: which accelerator should be built, and how should training be laid out on it,\n"
      "so that these models train best within this budget?",
      "phaze");
  program.set_version_flag("--version", "phaze " + std::string(kVersion));
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 an answer, 1 no feasible answer, 2 bad input, 130 interrupted.\n"
      "`phaze COMMAND --help` explains a command.");
  program.get_formatter()->column_width(32);
  program.option_defaults()->disable_flag_override();  // no --json=false
  Action action;
  add_models_command(program, action);
  add_graph_command(program, action);
  add_chips_command(program, action);
  add_chip_command(program, action);
  add_estimate_command(program, action);
  add_schedule_command(program, action);
  add_place_command(program, action);
  add_spaces_command(program, action);
  add_search_command(program, action);
  add_reproduce_command(program, action);
  add_simulate_command(program, action);
  add_export_command(program, action);
  add_compare_command(program, action);
  add_sweep_command(program, action);
  add_batch_command(program, action);
  add_study_command(program, action);
  add_validate_command(program, action);
  add_calibrate_command(program, action);
  add_report_command(program, action);
  add_clusters_command(program, action);
  add_cluster_command(program, action);
  try {
    const std::vector<std::string> plain = with_plain_words(words);
    std::vector<std::string> last_first(plain.rbegin(), plain.rend());
    program.parse(last_first);
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    program.exit(request, text, text);
    return print(text.str());
  } catch (const CLI::ParseError& error) {
    report_text(explain(program, error, words));
    return kBadInput;
  }
  return action();
}

}  // namespace phaze::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows as a failed write
  std::signal(SIGXFSZ, SIG_IGN);  // so does a file that has grown to its limit
  phaze::cli::exit_on_interrupt();
  try {
    return phaze::cli::run_words(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    std::fputs("phaze: out of memory\n", stderr);
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "phaze: internal error, please report it: %s\n", bug.what());
  }
  return 70;  // as in sysexits.h: a fault of the program itself
}
