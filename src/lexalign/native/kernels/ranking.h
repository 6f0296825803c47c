// The best continuations so far, and what makes log-probabilities of logits.
#pragma once

#include <cmath>
#include <vector>

#include "vectors.h"

struct Ranked {
  float rank, score;
  int64_t row, column;
};

// The best candidates so far, best first; of equals, the first that came.
class Ranking {
 public:
  explicit Ranking(int64_t size) : best_(size, {-INFINITY, -INFINITY, 0, 0}) {}

  void reset() { best_.assign(best_.size(), {-INFINITY, -INFINITY, 0, 0}); }

  float least() const { return best_.back().rank; }

  void add(const Ranked& candidate) {
    size_t place = best_.size() - 1;
    for (; place && best_[place - 1].rank < candidate.rank; place--) best_[place] = best_[place - 1];
    best_[place] = candidate;
  }

  const std::vector<Ranked>& best() const { return best_; }

 private:
  std::vector<Ranked> best_;
};

// What a softmax subtracts from a row of logits: its largest value, then the logarithm of the sum.
struct Normaliser {
  float largest = 0, logarithm_of_sum = 0;

  static Normaliser of(const float* row, int64_t size) {
    const Vector never = _mm512_set1_ps(-INFINITY);
    Vector most = never, sum = _mm512_setzero_ps();
    for (int64_t i = 0; i < size; i += LANES)
      most = _mm512_max_ps(most, _mm512_mask_loadu_ps(never, first_lanes(size - i), row + i));
    const float largest = max_of_lanes(most);
    for (int64_t i = 0; i < size; i += LANES) {
      const __mmask16 mask = first_lanes(size - i);
      const Vector value = _mm512_mask_loadu_ps(never, mask, row + i);
      sum = _mm512_mask_add_ps(sum, mask, sum, exponential(_mm512_sub_ps(value, _mm512_set1_ps(largest))));
    }
    return {largest, _mm512_cvtss_f32(logarithm(_mm512_set1_ps(sum_of_lanes(sum))))};
  }
};

// Offers the columns of a row (size): by value + rank, with value + score. A hypothesis that can never win is not
// looked at.
inline void rank_row(const float* row, int64_t size, float rank, float score, int64_t number, Ranking& ranking,
                     const Normaliser& normaliser) {
  if (rank == -INFINITY) return;
  const Vector largest = _mm512_set1_ps(normaliser.largest);
  const Vector logarithm_of_sum = _mm512_set1_ps(normaliser.logarithm_of_sum);
  for (int64_t i = 0; i < size; i += LANES) {
    const __mmask16 mask = first_lanes(size - i);
    const Vector value = _mm512_sub_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(mask, row + i), largest), logarithm_of_sum);
    const Vector ranks = _mm512_add_ps(value, _mm512_set1_ps(rank));
    unsigned better =
        _mm512_mask_cmp_ps_mask(mask, ranks, _mm512_set1_ps(ranking.least()), _CMP_GT_OQ);
    if (!better) continue;
    alignas(64) float values[LANES], found[LANES];
    _mm512_store_ps(values, value);
    _mm512_store_ps(found, ranks);
    for (; better; better &= better - 1) {
      const int lane = __builtin_ctz(better);
      if (found[lane] > ranking.least())
        ranking.add({found[lane], values[lane] + score, number, i + lane});
    }
  }
}

inline void rank_row(const float* row, int64_t size, float rank, float score, int64_t number, Ranking& ranking) {
  if (rank != -INFINITY) rank_row(row, size, rank, score, number, ranking, Normaliser::of(row, size));
}
