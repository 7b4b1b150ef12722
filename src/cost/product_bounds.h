#pragma once
// Lower bounds for the search of a product's mapping (docs/models.md, section 10.4): what all tiles
// of one dataflow, at one number of splits of k, must take at least.

#include <cstdint>

#include "cost/product_model.h"

namespace phaze::cost {

// Bounds that are computed in another order than the cost itself are lowered by this.
inline constexpr double kRoundingSlack = 1 - 1e-11;

// A dataflow at one number of splits of k, or at a range of them, and all parts of time that its
// tiles share. Of a range the fewest splits decide what grows with them (sums and their reduction)
// and how many tiles run side by side, the most splits what must fit (shares of k).
struct Setting {
  ArrayShape array;
  std::int64_t k_share = 1;  // at the most splits
  std::int64_t splits = 1;   // the fewest
  bool is_range = false;
  Parts parts{};                  // launch, fill, power and reduction
  double c_global = 0;            // bytes of C, or of its sums, to the global buffer
  double c_hbm = 0;               // and on to HBM
  std::int64_t side_by_side = 1;  // tiles of one share of k that run at once
};
Setting setting_of(plan::Dataflow dataflow, std::int64_t fewest_splits, std::int64_t most_splits,
                   const Sizes& sizes, const plan::TensorMachine& machine);

// Panels of A and of B that can stay in the global buffer, for tiles of a size or of its multiples.
struct Panel {
  std::int64_t size = 0;  // rows of A or columns of B; 0 where none can
  double rounds = 0;      // panels in all: as often the other operand passes HBM
  double bytes = 0;       // of A and B that pass HBM

  bool operator==(const Panel&) const = default;
};
struct Panels {
  Panel a, b;

  Panels(const plan::ProductProblem& problem, const Sizes& sizes,
         const plan::TensorMachine& machine, std::int64_t tile_m, std::int64_t tile_n);
  bool is_none() const { return a.size == 0 && b.size == 0; }
  bool is_a() const { return a.size > 0 && (b.size == 0 || a.bytes <= b.bytes); }
  const Panel& best() const { return is_a() ? a : b; }

  bool operator==(const Panels&) const = default;
};

// Tiles of many sizes.
struct Tiles {
  std::int64_t count_m, count_n;       // at least so many
  std::int64_t least_rows, most_rows;  // of a tile
  std::int64_t most_columns;
};

// Bounds hold for whatever the setting and its machine allow; references are kept.
class ProductBounds {
 public:
  ProductBounds(const plan::ProductProblem& problem, const plan::TensorMachine& machine,
                const Sizes& sizes, const Setting& setting);

  bool is_empty() const { return !fits_; }    // no tile fits
  double best_rows() const { return rows_; }  // of tiles that read least, if they could be any size
  const Panels& panels() const { return panels_; }  // for tiles of any size

  // Seconds of any tiles; closer and slower where that may reach the cutoff.
  double least(double cutoff) const;
  // Whether the traffic alone of all these tiles, with these panels or with groups, takes them to
  // the cutoff or above.
  bool is_beaten(const Tiles& tiles, const Panels& panels, double cutoff) const;

 private:
  struct Caps {
    double m, n;  // sizes over the tiles that run side by side
  };
  double seconds(double hbm) const;
  double least_moving(double reads) const;
  double with_tiles(double count_m, double count_n, double hbm_reads) const;
  double or_panel(double grouped) const;
  double reads(const Caps& caps, double rows, double columns) const;
  double least_reads(const Caps& caps, double* best_rows = nullptr) const;
  double least_by_area(const Caps& caps, double least_m, double most_m) const;
  double by_area(double area) const;
  double largest_group() const;
  double least_grouped_reads() const;
  double least_of_all_groups() const;
  double least_grouped(double area) const;
  double least_grouped(const Tiles& tiles) const;
  bool is_beaten_with_b(const Tiles& tiles, const Panel& panel, double cutoff) const;

  const plan::ProductProblem& problem_;
  const plan::TensorMachine& machine_;
  const Sizes& sizes_;
  const Setting& setting_;
  const Panels panels_;

  // Tiles that fit, relaxed to real sizes. With C in the local buffer: columns(rows) falls along a
  // curve; with A: up to rows_beside_a_ rows; with B: up to columns_beside_b_ columns.
  double least_m_, least_n_;  // the smallest tile
  double slice_, slices_;     // of k beside C, once and twice
  bool fits_c_ = false, fits_ = false;
  double rows_beside_a_ = 0, columns_beside_b_ = 0;
  double area_ = 0;   // the largest with C in the local buffer
  double fixed_ = 0;  // seconds that all tiles share
  double rows_ = 1;
  double core_ = 0, feed_ = 0, least_reads_ = 0, least_hbm_ = 0;
};

}  // namespace phaze::cost
