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
