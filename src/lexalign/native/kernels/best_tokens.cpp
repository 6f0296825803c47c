// The best continuations of the hypotheses of a sentence, in one or two passes over the scores.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ranking.h"
#include "vectors.h"

namespace {

void rank_row(const float* row, int64_t size, const Normaliser& normaliser, float rank, float score,
              int64_t number, Ranking& ranking) {
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

}  // namespace

// Of each of `lists` groups of `rows` rows (size), the best `count` columns: by value + rank of the row, given
// with value + score of the row. Values are log-probabilities, or logits that are yet to be normalised.
extern "C" void best_tokens(const float* values, int64_t lists, int64_t rows, int64_t size, bool normalised,
                            const float* ranks, const float* scores, int64_t count,
                            float* best, int64_t* best_rows, int64_t* best_columns) {
  for (int64_t list = 0; list < lists; list++, ranks += rows, scores += rows) {
    Ranking ranking(count);
    for (int64_t row = 0; row < rows; row++, values += size) {
      // A hypothesis that can never win is not looked at.
      if (ranks[row] == -INFINITY) continue;
      const Normaliser normaliser = normalised ? Normaliser() : Normaliser::of(values, size);
      rank_row(values, size, normaliser, ranks[row], scores[row], row, ranking);
    }
    for (const Ranked& candidate : ranking.best()) {
      *best++ = candidate.score;
      *best_rows++ = candidate.row;
      *best_columns++ = candidate.column;
    }
  }
}
