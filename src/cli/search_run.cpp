#include "cli/search_run.h"

#include <tbb/task_arena.h>

#include <chrono>
#include <optional>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/ranges.h"
#include "cli/report_file.h"
#include "cli/search_page.h"
#include "cli/search_robust.h"
#include "cli/search_rows.h"
#include "cli/search_study.h"
#include "cli/search_table.h"
#include "cli/value_lists.h"
#include "io/chip_json.h"
#include "io/data_table.h"
#include "io/file_writer.h"
#include "io/search_json.h"
#include "report/search_report.h"
#include "search/large_search.h"
#include "search/large_verify.h"
#include "search/plan_details.h"
#include "search/search_record.h"
#include "search/search_verify.h"

namespace phaze::cli {
namespace {

using search::SearchQuestion;

// What is found on the way: for a study, and for pictures.
struct OnTheWay {
  SearchStudy* study = nullptr;
  KnownValues values;  // without a study
  std::vector<plan::SearchMoment> moments;
};

// Of many moments every other one is enough, again and again.
void note_moment(std::vector<plan::SearchMoment>& moments, plan::SearchMoment moment) {
  constexpr std::size_t kMostMoments = 400;
  if (moments.size() >= kMostMoments) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < moments.size(); i += 2) {
      moments[kept++] = moments[i];
    }
    moments.resize(kept);
  }
  moments.push_back(std::move(moment));
}

search::SearchAnswer search_with_progress(const SearchQuestion& question,
                                          const ChipSearchOptions& options,
                                          std::vector<search::SearchChip> chips, bool is_large,
                                          OnTheWay& way) {
  Progress progress;
  SearchStudy* study = way.study;
  const auto begin = std::chrono::steady_clock::now();
  search::SearchOptions how;
  how.use_dominance = !options.exhaustive && !options.no_dominance;
  how.use_bounds = !options.exhaustive && !options.no_bounds;
  how.deepens = options.schedule == "exact";  // an integer program has its own limit
  if (study != nullptr) {
    how.known = study->known();
    how.keep = [&](const std::vector<search::Known>& found) { study->keep(found); };
  } else if (options.has_report || options.has_csv) {
    how.keep = [&](const std::vector<search::Known>& found) {
      for (const search::Known& known : found) {
        if (!known.is_top) {
          way.values[known.chip].resize(question.models.size());
          way.values[known.chip][known.model] = known.value;
        }
      }
    };
  }
  std::optional<NoteInterrupts> note;  // before there is a chip to show one ends the program
  how.is_cancelled = [&](const search::SearchOptions::Progress& at) {
    if (!note && at.best > 0) {
      note.emplace();
    }
    progress.show(at.stage + ": " + with_thousands(at.settled) + " of " +
                  counted(at.total, "chip") + " settled, best " + with_prefix(at.best, "") +
                  ", none above " + with_prefix(at.bound, ""));
    note_moment(
        way.moments,
        {at.stage, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
         static_cast<std::int64_t>(at.settled), at.best, at.bound});
    if (study != nullptr && question.models.size() == 1 && std::isfinite(at.bound)) {
      study->note_open_bound(at.bound);
    }
    return was_interrupted() || (study != nullptr && study->has_failed());
  };
  progress.show("pricing chips");
  search::SearchAnswer answer;
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    answer = is_large ? search::search_large(question, how)
                      : search::search_chips(question, std::move(chips), how);
  });
  return answer;
}

// Which of several models fit on no chip, or that none takes all of them.
std::string unfit_models(const SearchQuestion& question, const search::SearchAnswer& answer) {
  std::string names;
  for (std::size_t i = 0; i < answer.own_best.size(); ++i) {
    if (!answer.own_best[i]) {
      names += (names.empty() ? "" : ", ") + question.models[i].name;
    }
  }
  return question.models.size() == 1 ? "" : names.empty() ? " all models" : " " + names;
}

search::SearchFront front_with_progress(const SearchQuestion& question,
                                        const ChipSearchOptions& options,
                                        const std::vector<std::string>& names) {
  Progress progress;
  std::vector<search::Objective> objectives;
  objectives.reserve(names.size());
  for (const std::string& name : names) {
    objectives.push_back(search::parse_objective(name).value());
  }
  const NoteInterrupts note;
  search::SearchFront front;
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    front = search::search_front(question, objectives, [&](std::size_t settled, std::size_t total) {
      progress.show("front: " + with_thousands(static_cast<std::int64_t>(settled)) + " of " +
                    counted(total, "chip") + " settled");
      return was_interrupted();
    });
  });
  return front;
}

// Files that are written beside the answer, before the work is done.
void check_files(const ChipSearchOptions& options, Diagnostics& diagnostics) {
  Inputs inputs = {{"study", options.study},
                   {"reference chip", options.reference},
                   {"space", options.space},
                   {"cluster", options.cluster}};
  for (const std::string& model : options.models) {
    inputs.emplace_back("model", model);
  }
  if (options.has_report) {
    check_report_file("--report", options.report, inputs, diagnostics);
  }
  inputs.emplace_back("report", options.report);
  const auto check = [&](const char* option, const std::string& path) {
    if (const auto why = find_output_fault(path, inputs)) {
      diagnostics.error({"command line", 0, 0, option}, *why);
    } else if (!diagnostics.has_errors()) {
      io::check_writable(path, diagnostics);
    }
  };
  if (options.has_csv) {
    check("--csv", options.csv);
  }
  if (options.has_chip_output) {
    inputs.emplace_back("table", options.csv);
    check("--chip-output", options.chip_output);
  }
}

// The chip that is best for all models.
bool write_best_chip(const ChipSearchOptions& options, const plan::SearchRecord& record,
                     Diagnostics& diagnostics) {
  if (!record.common && record.own.size() > 1) {
    report_note("no chip for all models was found: " + options.chip_output + " is not written");
    return true;
  }
  const plan::SearchResult& best = record.common ? *record.common : record.own.front();
  std::string models;
  for (const std::string& model : options.models) {
    models += (models.empty() ? "" : ", ") + model;
  }
  hw::Chip chip = best.described;
  chip.title = best.chip + " of " + options.space + ", for " + models;
  chip.source = "phaze search";
  const HoldInterrupts hold;
  return io::write_text_file(options.chip_output, io::write_chip_file(chip), diagnostics);
}

bool write_csv(const ChipSearchOptions& options, const plan::DataTable& table,
               Diagnostics& diagnostics) {
  const HoldInterrupts hold;
  return io::write_text_file(options.csv, io::write_csv(table), diagnostics);
}

}  // namespace

int run_chip_search(const ChipSearchOptions& options, space::Space space) {
  Diagnostics diagnostics;
  check_files(options, diagnostics);
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const std::optional<SearchQuestion> question =
      read_question(options, std::move(space), diagnostics);
  if (!question) {
    return report_bad_input(diagnostics);
  }
  const auto begin = std::chrono::steady_clock::now();
  const bool is_large = options.by_sets || search::is_large(question->space);
  if (is_large && split_list(options.objective).size() > 1) {
    diagnostics.error(
        {"command line", 0, 0, "--objective"},
        "a front is of spaces whose chips can be listed, with up to 1,000,000 combinations");
    return report_bad_input(diagnostics);
  }
  std::vector<search::SearchChip> chips;
  if (!is_large) {
    chips = search::list_search_chips(*question);
  }
  const auto report_no_chip = [&] {
    const std::string why = "no chip of " + question->space.name +
                            " is within its filters and budgets; --count says why";
    if (options.json) {
      print(io::write_no_chip(why));
    }
    return report_no_answer(why);
  };
  if (!is_large && chips.empty()) {
    return report_no_chip();
  }
  std::optional<SearchStudy> study;
  if (!options.study.empty()) {
    study = SearchStudy::open(options.study, *question, chips, diagnostics);
    if (!study) {
      return report_bad_input(diagnostics);
    }
  }
  OnTheWay way;
  way.study = study ? &*study : nullptr;
  const search::SearchAnswer answer =
      search_with_progress(*question, options, std::move(chips), is_large, way);
  if (study && study->has_failed()) {
    return study->report_failure();
  }
  if (answer.total == 0) {
    return report_no_chip();
  }
  const bool has_best =
      std::ranges::any_of(answer.own_best, [](const auto& best) { return best.has_value(); });
  const bool has_no_common =
      answer.is_complete && question->models.size() > 1 && !answer.common_best;
  if (!has_best || has_no_common) {
    const std::string why = answer.is_complete
                                ? "no chip of " + question->space.name + " has a plan that fits" +
                                      unfit_models(*question, answer)
                                : "interrupted before any chip was evaluated";
    if (options.json) {
      print(io::write_no_chip(why));
    }
    return answer.is_complete ? report_no_answer(why) : (report_note(why), kInterrupted);
  }
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  plan::SearchRecord record;
  arena.execute([&] { record = search::make_search_record(*question, answer); });
  record.notes = question->notes;
  for (const search::SetSearchAnswer& sets : answer.sets) {
    if (sets.tied > 0) {
      record.notes.push_back("no step down from the best chip is as fast; of " +
                             with_thousands(sets.tied) +
                             " other chips that could be no slower not all were looked at, and "
                             "one may be smaller");
    }
  }
  if (const auto names = split_list(options.objective); names.size() > 1 && answer.is_complete) {
    search::add_front(*question, front_with_progress(*question, options, names), record);
  }
  if (options.robust > 0 && answer.is_complete) {
    record.robustness = look_at_robustness(options, *question, answer);
  }
  add_ranges(record);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (options.verify) {
    for (const std::string& line : answer.sets.empty() ? search::verify_search(*question, answer)
                                                       : search::verify_large(*question, answer)) {
      record.notes.push_back(line);
    }
  }
  if (answer.is_complete) {
    const plan::SearchResult& last = record.common ? *record.common : record.own.back();
    note_moment(way.moments,
                {last.name, record.seconds, last.counts.total, last.value, last.bound});
  }
  record.progress = std::move(way.moments);
  if (options.json || options.has_report || study) {
    arena.execute([&] { search::add_details(*question, record); });
  }
  const std::string json = io::write_search(record);
  if (study && answer.is_complete && !study->finish(record, answer, json)) {
    return study->report_failure();
  }
  if (options.has_report &&
      !write_search_page(options.report, *question, answer,
                         line_up(study ? study->values() : way.values, *question, answer, is_large),
                         json, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  if (options.has_csv &&
      !write_csv(options,
                 make_search_table(*question, answer, study ? study->values() : way.values),
                 diagnostics)) {
    return report_bad_input(diagnostics);
  }
  if (options.has_chip_output && !write_best_chip(options, record, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  const int exit_code = print(options.json ? json : for_people(report::search_text(record)));
  if (was_interrupted()) {
    report_note("interrupted: this is the best so far");
    return kInterrupted;
  }
  return exit_code;
}

}  // namespace phaze::cli
