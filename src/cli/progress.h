#pragma once
// What a long run is doing, on standard error: on a terminal one line, redrawn; elsewhere a line
// every ten seconds. Runs of less than two seconds show nothing.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace phaze::cli {

class Progress {
 public:
  Progress();
  // Wipes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // What is being done, how far it is, the best so far; the time since the beginning is added. May
  // be called as often as one likes, from any thread.
  void show(std::string text);

 private:
  void draw_until_done();
  void draw(const std::string& text, std::chrono::duration<double> since);

  bool is_terminal_;
  std::string drawn_;  // by the thread that draws
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;  // with the mutex
  std::string text_;      // with the mutex
  std::thread thread_;
};

}  // namespace phaze::cli
