#pragma once
// Standard output and standard error: answers go to the first, everything else to the second.

#include <cstddef>
#include <string>

#include "base/diagnostics.h"

namespace phaze::cli {

// Writes an answer; kAnswer, or kBadInput with a message when it cannot be written (a full disk).
int print(const std::string& text);

// A report as a terminal shows it: free text that is too long for a line goes on below, tables stay
// (report/wrap.h). Unchanged where standard output is no terminal. The width is that of COLUMNS,
// else the terminal's.
std::string for_people(std::string text);

// Columns that a chart may take beside its labels: what a terminal has room for, 100 elsewhere.
std::size_t chart_width();

// Says on standard error why there is no answer; kNoAnswer.
int report_no_answer(const std::string& why);

// Something worth knowing beside the answer, on standard error.
void report_note(const std::string& note);

// Writes the diagnostics to standard error; kBadInput.
int report_bad_input(const Diagnostics& diagnostics);

// Text for standard error; on a terminal broken into its lines, as for_people() does.
void report_text(const std::string& text);

// While one of these lives all of the above goes into it: for commands that run others. One at a
// time, and none from another thread.
class CaptureOutput {
 public:
  CaptureOutput();
  ~CaptureOutput();
  CaptureOutput(const CaptureOutput&) = delete;
  CaptureOutput& operator=(const CaptureOutput&) = delete;

  std::string answer, messages;
};

}  // namespace phaze::cli
