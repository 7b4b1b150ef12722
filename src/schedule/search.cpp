// How the work on a piece is spent, until its best schedule is proved or the limit is reached.
//
// - A plain bound. Where only schedules before some cutoff are of use: whether there are any, by
//   bounds and, where wide tasks share, by windows (close_in.h).
// - A list schedule, or one that is remembered of a piece of the same shape (memory.h). Where wide
//   tasks share, from there on by windows to the best (narrow_down.h); where they exclude all
//   others and something runs beside them, by windows in the widths of the relaxed schedule.
// - Where wide tasks exclude all others, looks by segments (segments.h): with beams, then, with a
//   better schedule to prune with and fewer widths, at all schedules. For few tasks in any case,
//   and for many where wide tasks share: a quick look in the order of starts (look.h).
// - Where only tasks beside cores leave a piece without segments and they take little: a search of
//   the rest, which has them (without_network.h). Where there are many tasks and two on the network
//   could come in either order: parts of all schedules by that order.
// - A better schedule comes from a local search (segment_annealing.cpp, local_search.cpp) that
//   begins with a greedy one (segment_greedy.h) where there may be segments; fewer widths from
//   trying them one by one (shave.h).
// - For what that does not settle: all schedules split into parts (splits.h), the one with the
//   least bound first and down from there, each with bounds of its own and a short look; and looks
//   at the lower half of what is open, which raise the bound when they come out empty; so it goes
//   with each part that cannot be split any more, too. Then again with more of each.
#include <algorithm>
#include <optional>

#include "base/check.h"
#include "schedule/close_in.h"
#include "schedule/look.h"
#include "schedule/memory.h"
#include "schedule/narrow_down.h"
#include "schedule/piece.h"
#include "schedule/segment_greedy.h"
#include "schedule/segments.h"
#include "schedule/shave.h"
#include "schedule/splits.h"
#include "schedule/units.h"
#include "schedule/without_network.h"

namespace phaze::schedule {
namespace {

class Search {
 public:
  Search(const Piece& piece, Time unit, const SearchOptions& options)
      : piece_(piece),
        unit_(unit),
        options_(options),
        has_segments_(options.segments && has_segments(piece)),
        states_for_node_(std::max<std::int64_t>(
            1, static_cast<std::int64_t>(piece.tasks.size()) / kTasksForState)),
        parts_by_(has_segments_ ? By::kSegments : By::kStarts),
        bounds_(piece),
        look_(piece, options_, bounds_),
        rate_finder_(piece),
        all_(whole(piece, options.part_look)),
        parts_(all_) {
    bounds_.set_squeezing(is_by_windows());
  }

  PieceAnswer run() {
    bound_ = bounds_.root();
    best_ = one_by_one(piece_);
    if (options_.cutoff != kNever && is_refuted()) {
      best_.bound = std::min(bound_, best_.makespan);
      return best_;
    }
    if (PieceAnswer list = list_schedule(piece_); list.makespan <= best_.makespan) {
      best_.makespan = list.makespan;
      best_.starts = std::move(list.starts);
    }
    if (options_.memory != nullptr) {
      const std::int64_t work = best_.work;
      best_ = recall(*options_.memory, piece_, std::move(best_));
      best_.work = work;
    }
    bound_ = std::min(bound_, best_.makespan);
    look_by_windows();
    look_at_rounded();
    for (std::int64_t effort = kFirstEffort; !is_done(); effort *= kGrowth) {
      const bool is_first = effort == kFirstEffort;
      if (has_segments_) {
        look_with_beams(effort);
        const Time by_beams = useful();
        if (has_long()) {
          look_at_shaved(effort);
        }
        anneal(kSegmentSteps * effort);
        if (!has_long() || useful() < by_beams) {
          look_at_shaved(effort);
        }
      }
      if (is_first && has_moments_first() && !is_done()) {
        has_room_by_moments(useful());
      }
      if (is_first && has_long() && has_little_beside_cores()) {
        leave_out_network(kRest * effort);
      }
      if (is_first && has_long() && is_by_widths() && has_open_orders()) {
        look_at_parts(kSomeParts * effort);
      }
      const bool has_look = is_first ? !(has_long() && is_by_widths()) : has_segments_;
      if (parts_by_ == By::kStarts && has_look) {
        look_at_all(By::kStarts, is_first ? options_.first_look : effort, useful());
      }
      const bool has_parts_first = is_first && is_by_widths() && has_several_cores();
      if (has_parts_first) {
        choose_greedily();
        look_at_parts(kSomeParts * effort);
      }
      if (!has_segments_) {
        anneal(effort);
        if (piece_.exclusive_wide || !is_first) {
          shave_widths();
        }
        look_at_all(By::kStarts, kLooks * effort, useful());
      }
      look_at_parts((has_parts_first ? kMoreParts : kSomeParts) * effort);
      raise_bound(effort);
    }
    best_.bound = std::min(bound_, best_.makespan);
    return best_;
  }

 private:
  enum class By { kStarts, kSegments };

  bool is_done() const {
    return bound_ >= useful() || best_.makespan <= options_.enough || is_cancelled_ ||
           best_.work >= options_.work_limit;
  }
  // A search with little work to spend spends it on schedules, not on proofs.
  bool has_long() const { return options_.work_limit > kFirstEffort; }
  // Where wide tasks exclude all others, widths decide nearly everything; few tasks are settled
  // sooner by longer looks, and so is what the first parts leave open.
  bool is_by_widths() const {
    return piece_.exclusive_wide && !has_segments_ && piece_.tasks.size() > kFewTasks;
  }
  // Tasks of a kind can run beside one another: greedy segments and parts by widths find more there
  // than a local search does.
  bool has_several_cores() const { return piece_.cores[kTensor] > 1 || piece_.cores[kVector] > 1; }
  // Tasks on the network, or on nothing, take so little that the rest, which has segments, decides
  // when all ends.
  bool has_little_beside_cores() const {
    Time beside = 0;
    for (const PieceTask& task : piece_.tasks) {
      beside += task.needs_cores() ? 0 : task.one;
    }
    return options_.segments && piece_.exclusive_wide && !has_segments_ &&
           beside < bound_ / kLittle;
  }
  bool has_open_orders() {
    if (!options_.mixed_bounds) {
      bounds_.limit_to(kNever);  // they have no orders yet
    }
    return has_open_network(piece_, bounds_.intervals());
  }
  // Moments of many tasks often show at once that there is nothing below a cutoff, and where widths
  // decide that a list schedule is the best.
  bool has_moments_first() const {
    return !has_segments_ && piece_.tasks.size() > kFewTasks &&
           (piece_.exclusive_wide || options_.cutoff != kNever);
  }
  // Schedules that end no earlier are of no use.
  Time useful() const { return std::min(best_.makespan, options_.cutoff); }

  // There is no need for a schedule that ends earlier.
  Time goal() const { return std::max(bound_, options_.enough); }

  // Whether to stop, which stays so; with work that is not counted yet.
  bool ask(std::int64_t more_work = 0) {
    is_cancelled_ =
        is_cancelled_ || (options_.is_cancelled &&
                          options_.is_cancelled(best_.makespan, bound_, best_.work + more_work));
    return is_cancelled_;
  }

  SegmentsAnswer look_at_segments(std::int64_t nodes, Time limit, std::size_t beam, double guess,
                                  std::uint64_t seed = 0) {
    const std::int64_t left = options_.work_limit - best_.work++;
    const SegmentsAnswer answer =
        search_segments(piece_, bounds_,
                        {limit, goal(), std::min(nodes, left) * states_for_node_, beam, guess,
                         options_.dominance, options_.twins, options_.room, options_.waste, seed},
                        best_, [this] { return ask(); });
    best_.work += answer.work / states_for_node_;
    return answer;
  }
  // Finds schedules to prune with.
  void look_with_beams(std::int64_t effort) {
    const auto most =
        static_cast<std::size_t>(std::max(effort / kEffortForState, std::int64_t{10}));
    for (const std::size_t width : {most / 10, most}) {
      for (const double guess : {0.0, 0.5}) {
        if (is_done() || !has_room_by_moments(useful())) {
          return;
        }
        if (look_at_segments(effort, useful(), width, guess).is_complete) {
          bound_ = std::max(bound_, useful());
        }
      }
    }
  }

  // At all segments, in widths that are left.
  void look_at_shaved(std::int64_t effort) {
    shave_widths();
    look_at_all(By::kSegments, kSegments * effort, useful());
  }

  Look::Answer look(By by, std::int64_t nodes, Time limit) {
    if (by == By::kSegments) {
      const SegmentsAnswer answer = look_at_segments(nodes, limit, 0, 0);
      return {answer.is_complete, answer.open_bound};
    }
    return look_.run({limit, goal(), std::min(options_.work_limit, best_.work + nodes)}, best_,
                     [this] { return ask(); });
  }

  // Searches for schedules that end before `limit`, with so many nodes at most; whether that was
  // enough to find the best or to show that there is none.
  bool look_at_all(By by, std::int64_t nodes, Time limit) {
    limit = std::min(limit, useful());
    if (is_done() || !(by == By::kSegments ? has_room_by_moments(limit) : has_room(limit))) {
      return true;
    }
    const Look::Answer answer = look(by, nodes, limit);
    const Time found = std::min(limit, best_.makespan);
    if (answer.is_complete) {
      bound_ = std::max(bound_, found);
    } else if (answer.open_bound != kNever) {
      bound_ = std::max(bound_, std::min(found, answer.open_bound));
    }
    return answer.is_complete;
  }

  // Raises the bound by all that can be said of schedules that end before the limit without a
  // search; whether there may be any.
  bool has_room(Time limit) {
    if (bound_ >= limit) {
      return false;
    }
    if (!options_.mixed_bounds && (has_parts_looked_at_ || has_segments_)) {
      bounds_.limit_to(kNever);  // they may be of a part, or have no orders yet
    }
    if (!options_.mixed_bounds || limit_of_all_ == limit) {
      return true;
    }
    limit_of_all_ = limit;
    is_rated_ = false;
    bounds_.limit_to(limit, all_);
    const auto is_open = [this, limit](Time bound) {
      bound_ = std::max(bound_, std::min(limit, bound));
      return bound_ < limit;
    };
    if (!is_open(bounds_.root()) || !is_open(remembered())) {
      return false;
    }
    bounds_.weigh();
    return is_open(bounds_.root()) && is_open(remembered());
  }
  // And by moments: dearer.
  bool has_room_by_moments(Time limit) {
    if (!has_room(limit)) {
      return false;
    }
    if (options_.mixed_bounds && !is_rated_) {
      is_rated_ = true;
      bounds_.rate(rate_finder_, kMostRateSteps);
      bound_ = std::max(bound_, std::min(limit, bounds_.root()));
    }
    return bound_ < limit;
  }
  Time remembered() const {
    return options_.memory == nullptr
               ? 0
               : recall_bound(*options_.memory, piece_, unit_, bounds_.widths());
  }

  // Whether nothing ends before the cutoff, by bounds and a few windows, then by more of them.
  bool is_refuted() {
    const auto has_found = [this] { return best_.makespan < options_.cutoff; };
    for (const std::int64_t most : {kFewWindows, kManyWindows}) {
      if (has_found() || is_cancelled_) {
        return false;
      }
      if (is_by_windows() && bound_ < options_.cutoff) {
        const CloseInAnswer answer =
            close_in(piece_, order(), all_.widths, {options_.cutoff, goal(), windows_left(most)},
                     best_, [this] { return ask(); });
        count_windows(answer.work);
        bound_ = answer.is_complete ? std::max(bound_, useful()) : bound_;
      }
      const bool has_no_room =
          !has_found() && (!has_room(options_.cutoff) ||
                           (is_by_windows() && !has_room_by_moments(options_.cutoff)));
      if (has_no_room) {
        return true;
      }
      if (!is_by_windows()) {
        return false;
      }
    }
    return false;
  }

  // Where wide tasks share, edges of windows tell most.
  bool is_by_windows() const {
    return options_.windows && options_.mixed_bounds && !piece_.exclusive_wide;
  }
  const Order& order() {
    if (!order_) {
      order_ = find_own_order(piece_, options_.twins);
    }
    return *order_;
  }
  std::int64_t windows_left(std::int64_t most) const {
    return std::min(most, (options_.work_limit - best_.work) / kWorkOfWindows + 1);
  }
  void count_windows(std::int64_t found) { best_.work += kWorkOfWindows * (found - 1); }

  // Where wide tasks exclude all others and something runs beside them, the relaxed schedule mostly
  // has the right widths; in these, windows tell an order.
  void look_at_rounded() {
    if (!options_.windows || !piece_.exclusive_wide || has_segments_ || !has_moments_first() ||
        is_done() || !has_room_by_moments(useful())) {
      return;
    }
    Widths widths = bounds_.widths();
    const Mask open = widths.one & widths.wide, wide = mostly_wide(piece_, bounds_.rates());
    widths.one &= ~(open & wide);
    widths.wide &= ~(open & ~wide);
    const NarrowAnswer answer =
        narrow_down(piece_, order(), {bound_, goal(), windows_left(kSomeWindows), widths}, best_,
                    [this] { return ask(); });
    count_windows(answer.work);  // its bound is one of these widths alone
  }

  void look_by_windows() {
    if (!is_by_windows() || options_.cutoff != kNever || is_done()) {
      return;
    }
    const NarrowAnswer answer =
        narrow_down(piece_, order(), {bound_, goal(), windows_left(kManyWindows), {}}, best_,
                    [this] { return ask(); });
    count_windows(answer.work);
    bound_ = std::max(bound_, answer.bound);
  }

  void leave_out_network(std::int64_t work) {
    if (is_done()) {
      return;
    }
    const WithoutNetwork rest = without_network(piece_);
    if (rest.tasks.empty()) {
      return;
    }
    SearchOptions options = options_;
    options.work_limit = std::min(work, options_.work_limit - best_.work);
    options.cutoff = useful();
    options.enough = 0;
    options.memory = nullptr;
    options.is_cancelled = [this](Time, Time, std::int64_t more) { return ask(more); };
    const PieceAnswer answer = Search(rest.piece, unit_, options).run();
    best_.work += answer.work;
    bound_ = std::max(bound_, std::min(useful(), answer.bound));
    if (answer.makespan < best_.makespan) {
      use(with_network(piece_, rest, answer.starts));
    }
  }

  // Takes a schedule over, if it is better.
  void use(PieceAnswer other) {
    if (other.makespan < best_.makespan) {
      best_.makespan = other.makespan;
      best_.starts = std::move(other.starts);
    }
  }

  bool has_work_for_greedy() const {
    return best_.work + work_of_greedy(piece_.tasks.size()) < options_.work_limit;
  }
  void choose_greedily() {
    if (is_done() || !has_work_for_greedy()) {
      return;
    }
    use(greedy_schedule(piece_, [this] { return ask(); }));
    best_.work += work_of_greedy(piece_.tasks.size());
  }

  void anneal(std::int64_t steps) {
    if (is_done() || (has_segments_ && !has_work_for_greedy())) {
      return;
    }
    const std::int64_t most = std::min({steps, kMostSteps, options_.work_limit - best_.work});
    const auto is_cancelled = [this] { return ask(); };
    if (has_segments_) {
      best_ = improve_segments(piece_, all_.widths, std::move(best_), goal(), most, is_cancelled);
    } else {
      best_ = improve(piece_, std::move(best_), goal(), most, is_cancelled);
    }
  }

  // Leaves out widths that no schedule of use can have.
  void shave_widths() {
    const std::int64_t most = (options_.work_limit - best_.work) / kWorkOfWidth;
    if (is_done() || most == 0 || !options_.mixed_bounds || !options_.shaving) {
      return;
    }
    limit_of_all_ = kNever;
    best_.work += kWorkOfWidth * shave(piece_, useful(), most, rate_finder_, bounds_, all_,
                                       [this] { return ask(); });
    bound_ = std::max(bound_, std::min(useful(), bounds_.root()));
  }

  // Asks whether there are schedules in the lower half of what is open, and again.
  void raise_bound(std::int64_t nodes) {
    Time open = bound_;  // where the last question was left open, or the bound
    for (int i = 0; i < kQuestions && !is_done(); ++i) {
      const Time high = open > bound_ ? std::min(open, useful()) : useful();
      const Time middle = bound_ + (high - bound_ + 1) / 2;
      if (!look_at_all(parts_by_, nodes / kQuestions, middle)) {
        open = middle;
      }
    }
  }

  void look_at_parts(std::int64_t work) {
    const std::int64_t last = best_.work + work;
    limit_of_all_ = kNever;  // the bounds are of parts from here on
    has_parts_looked_at_ = true;
    bool goes_down = false;
    // Where nothing is left to split, no other look at all schedules tells more.
    while (options_.splits && !is_done() && (best_.work < last || parts_.are_all_told(useful())) &&
           best_.work + kWorkOfBounds <= options_.work_limit) {
      Part part = goes_down ? parts_.take_last() : parts_.take_least();
      if (part.bound < useful() && ask()) {
        parts_.put(std::move(part));  // it is open still
        break;
      }
      goes_down = part.bound < useful() && look_at(part);
      bound_ = std::max(bound_, std::min(useful(), parts_.least_bound()));
    }
  }

  // Whether the part was split; the likelier half is the last of all.
  bool look_at(Part& part) {
    if (part.is_told && parts_by_ == By::kSegments) {
      look_longer(part);
      parts_.put(std::move(part));
      return false;
    }
    const Time limit = useful();
    best_.work += kWorkOfBounds;
    part.widths.one &= all_.widths.one;
    part.widths.wide &= all_.widths.wide;
    bounds_.limit_to(limit, part);
    if (options_.mixed_bounds && bounds_.root() < limit) {
      bounds_.weigh();
    }
    bounds_.rate(rate_finder_, kMostRateSteps);
    part.bound = std::max({part.bound, bounds_.root(), remembered()});
    if (part.bound >= limit) {
      return false;
    }
    const Look::Answer answer = look(parts_by_, part.nodes, limit);
    if (answer.is_complete) {
      return false;
    }
    if (answer.open_bound != kNever) {
      part.bound = std::max(part.bound, std::min(useful(), answer.open_bound));
    }
    std::optional<std::pair<Part, Part>> halves =
        split(piece_, bounds_.intervals(), bounds_.widths(), bounds_.rates(), part);
    if (!halves) {
      look_longer(part);
      parts_.put(std::move(part));
      return false;
    }
    parts_.put(std::move(halves->first));
    parts_.put(std::move(halves->second));
    return true;
  }

  // Many beams that differ in what they draw; whether one of them left nothing out.
  bool look_with_narrow_beams(std::int64_t nodes, Time limit) {
    const std::int64_t last = std::min(
        options_.work_limit, best_.work + nodes * static_cast<std::int64_t>(piece_.tasks.size()));
    bool is_complete = false;
    while (best_.work < last && useful() >= limit && !is_complete && !ask()) {
      is_complete = look_at_segments(last - best_.work, limit, kNarrowBeam, 0, ++seed_).is_complete;
    }
    return is_complete;
  }

  // Nothing is left to split. By segments, less is asked: whether there is anything in the lower
  // half of what is open, which takes fewer states to tell; more work where that is open to the
  // last.
  void look_longer(Part& part) {
    part.is_told = true;
    if (parts_by_ == By::kStarts) {
      part.nodes *= kGrowth;
      return;
    }
    const Time high = part.open > part.bound ? std::min(part.open, useful()) : useful();
    const Time middle = part.bound + (high - part.bound + 1) / 2;
    const auto raise = [&part](Time bound) { part.bound = std::max(part.bound, bound); };
    best_.work += kWorkOfBounds;
    bounds_.limit_to(middle, part);
    bounds_.rate(rate_finder_, kMostRateSteps);
    if (bounds_.root() >= middle) {
      raise(middle);
      return;
    }
    const Look::Answer answer = look(By::kSegments, part.nodes, middle);
    if (answer.open_bound != kNever) {
      raise(std::min(useful(), answer.open_bound));
    }
    if (answer.is_complete || look_with_narrow_beams(part.nodes, std::min(middle, useful()))) {
      raise(std::min(middle, useful()));
      return;
    }
    part.open = middle;
    if (part.open <= part.bound + 1) {
      part.nodes *= kToldGrowth;
      part.open = kNever;
    }
  }

  static constexpr std::int64_t kFewWindows = 16, kSomeWindows = 30, kManyWindows = 300;
  static constexpr std::int64_t kWorkOfWindows = 20;  // they take as long as this
  static constexpr std::int64_t kToldGrowth = 2;
  static constexpr std::size_t kNarrowBeam = 32;
  static constexpr std::int64_t kFirstEffort = 2'000, kGrowth = 8, kSegmentSteps = 4, kLooks = 4;
  static constexpr std::int64_t kMostSteps = 16'000'000;  // of an annealing
  static constexpr int kQuestions = 6;
  static constexpr std::int64_t kSomeParts = 4, kMoreParts = 16;
  static constexpr std::int64_t kRest = 6;
  static constexpr Time kLittle = 10;  // one of so many parts of the bound
  static constexpr std::size_t kFewTasks = 32;
  static constexpr std::int64_t kWorkOfBounds = 250;   // of a part: they take as long as this
  static constexpr std::int64_t kWorkOfWidth = 20;     // that is tried
  static constexpr std::int64_t kSegments = 8;         // looks by segments are longer
  static constexpr std::int64_t kEffortForState = 20;  // of a beam
  static constexpr std::int64_t kTasksForState = 10;

  const Piece& piece_;
  const Time unit_;  // of its durations
  const SearchOptions options_;
  const bool has_segments_;
  const std::int64_t states_for_node_;  // take as long as one of a look, which grows with tasks
  const By parts_by_;                   // looks at parts, and at what is open
  std::optional<Order> order_;          // once somebody asks
  Bounds bounds_;
  Look look_;
  RateFinder rate_finder_;
  Part all_;  // schedules that may be of use
  OpenParts parts_;
  PieceAnswer best_;
  Time bound_ = 0;
  Time limit_of_all_ = kNever;  // that the bounds hold for, where they are of all schedules
  bool is_rated_ = false;       // and rates were found for it
  bool has_parts_looked_at_ = false;
  bool is_cancelled_ = false;
  std::uint64_t seed_ = 0;
};

}  // namespace

PieceAnswer search(const Piece& piece, const SearchOptions& options) {
  const Time unit = common_unit(piece);
  const Piece scaled = in_units(piece, unit);
  PieceAnswer answer = in_picoseconds(Search(scaled, unit, in_units(options, unit)).run(), unit);
  if (options.memory != nullptr) {
    remember(*options.memory, piece, answer);
  }
  return answer;
}

}  // namespace phaze::schedule
