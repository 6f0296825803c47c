// The best continuations of the hypotheses of a sentence, in one or two passes over the scores.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ranking.h"
#include "vectors.h"

// Of each of `lists` groups of `rows` rows (size), the best `count` columns: by value + rank of the row, given
// with value + score of the row. Values are log-probabilities, or logits that are yet to be normalised.
extern "C" void best_tokens(const float* values, int64_t lists, int64_t rows, int64_t size, bool normalised,
                            const float* ranks, const float* scores, int64_t count,
                            float* best, int64_t* best_rows, int64_t* best_columns) {
  for (int64_t list = 0; list < lists; list++, ranks += rows, scores += rows) {
    Ranking ranking(count);
    for (int64_t row = 0; row < rows; row++, values += size) {
      if (normalised) rank_row(values, size, ranks[row], scores[row], row, ranking, Normaliser());
      else rank_row(values, size, ranks[row], scores[row], row, ranking);
    }
    for (const Ranked& candidate : ranking.best()) {
      *best++ = candidate.score;
      *best_rows++ = candidate.row;
      *best_columns++ = candidate.column;
    }
  }
}
