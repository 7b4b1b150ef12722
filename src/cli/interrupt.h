#pragma once
// Ctrl-C: one line on standard error, exit code 130.

namespace phaze::cli {

inline constexpr int kInterrupted = 130;  // as shells have it

// From here on an interrupt ends the program at once, unless they are ignored already.
void exit_on_interrupt();

// While one of these lives the first interrupt is only noted, for work that can stop and show what
// it has; a second one ends the program.
class NoteInterrupts {
 public:
  NoteInterrupts();
  ~NoteInterrupts();
  NoteInterrupts(const NoteInterrupts&) = delete;
  NoteInterrupts& operator=(const NoteInterrupts&) = delete;
};
// Whether one was noted, since the program started.
bool was_interrupted();

// While one of these lives an interrupt waits for its end: for work that must not stay half done.
class HoldInterrupts {
 public:
  HoldInterrupts();
  ~HoldInterrupts();
  HoldInterrupts(const HoldInterrupts&) = delete;
  HoldInterrupts& operator=(const HoldInterrupts&) = delete;
};

}  // namespace phaze::cli
