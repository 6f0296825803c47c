// The continuations that a search by banks considers, from the logits of a step, in two passes over them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ranking.h"
#include "vectors.h"

namespace {

struct Continuations {
  int64_t batch, rows, size, moves, num_best, num_top, num_free, eos_id;
  const float* logits;          // (batch, rows, size)
  const float* hypotheses;      // (batch, rows), with a stride
  const float *rank_bias, *rank_bonus;  // likewise, or null
  int64_t hypothesis_stride, bias_stride, bonus_stride;
  const bool *unfinished, *just_met;  // (batch, rows)
  const bool* continues_word;   // (size,), or null
  const bool* needs;            // (batch,), whether anything must be met
  const int64_t* tokens;        // (batch, rows, moves), which serve constraints
  float* end_scores;            // (batch, rows)
  int64_t* best_tokens;         // (batch, rows, num_best)
  float* best_scores;
  float* shares;                // their probabilities among each other
  float* free_scores;           // (batch, num_free): the best of all, other words, the best of each
  int64_t *free_rows, *free_tokens;
  int64_t *pair_rows, *pair_tokens;  // (batch, rows * num_best + num_free): the best of each, and the free ones
  float* serving;               // (batch, rows, moves)
};

__mmask16 flags(const bool* values, __mmask16 mask) {
  const __m128i bytes = _mm_maskz_loadu_epi8(mask, values);
  return _mm_test_epi8_mask(bytes, bytes);
}

class Row {
 public:
  Row(const Continuations& all, int64_t b, int64_t row)
      : all(all),
        row(row),
        at(b * all.rows + row),
        logits(all.logits + at * all.size),
        score(all.hypotheses[b * all.hypothesis_stride + row]),
        rank(all.rank_bias || all.rank_bonus ? score + bias(all, b, row) : score),
        apart(all.continues_word && all.just_met[at]),
        normaliser(Normaliser::of(logits, all.size)) {}

  float value(int64_t column) const {
    return (logits[column] - normaliser.largest) - normaliser.logarithm_of_sum;
  }

  // All tokens but the end of sentence, where it may not be; where words are set apart, none of theirs but
  // those that serve a constraint.
  void rank_all(Ranking& best, Ranking& top, Ranking& words) const {
    const Vector largest = _mm512_set1_ps(normaliser.largest);
    const Vector logarithm_of_sum = _mm512_set1_ps(normaliser.logarithm_of_sum);
    const Vector added = _mm512_set1_ps(rank);
    for (int64_t i = 0; i < all.size; i += LANES) {
      const __mmask16 mask = first_lanes(all.size - i);
      const Vector values =
          _mm512_sub_ps(_mm512_sub_ps(_mm512_maskz_loadu_ps(mask, logits + i), largest), logarithm_of_sum);
      const __mmask16 in_word = apart ? flags(all.continues_word + i, mask) : 0;
      const Vector ranks = _mm512_add_ps(values, added);
      const __mmask16 high =
          _mm512_mask_cmp_ps_mask(mask & ~in_word, values, _mm512_set1_ps(best.least()), _CMP_GT_OQ) |
          _mm512_mask_cmp_ps_mask(mask & ~in_word, ranks, _mm512_set1_ps(top.least()), _CMP_GT_OQ) |
          _mm512_mask_cmp_ps_mask(in_word, values, _mm512_set1_ps(words.least()), _CMP_GT_OQ);
      for (unsigned left = high; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        if (in_word >> lane & 1) offer(words, value(i + lane), i + lane);
        else consider(best, top, i + lane);
      }
    }
    if (apart) consider_serving(best, top);
  }

 private:
  static float bias(const Continuations& all, int64_t b, int64_t row) {
    if (!all.rank_bias) return all.rank_bonus[b * all.bonus_stride + row];
    const float bias = all.rank_bias[b * all.bias_stride + row];
    return all.rank_bonus ? bias + all.rank_bonus[b * all.bonus_stride + row] : bias;
  }

  void offer(Ranking& ranking, float found, int64_t column) const {
    if (found > ranking.least()) ranking.add({found, value(column) + score, row, column});
  }

  void consider(Ranking& best, Ranking& top, int64_t column) const {
    if (column == all.eos_id && all.unfinished[at]) return;
    offer(best, value(column), column);
    offer(top, value(column) + rank, column);
  }

  void consider_serving(Ranking& best, Ranking& top) const {
    const int64_t *first = all.tokens + at * all.moves, *last = first + all.moves;
    for (const int64_t* token = first; token < last; token++)
      if (all.continues_word[*token] && std::find(first, token, *token) == token) consider(best, top, *token);
  }

  const Continuations& all;
  const int64_t row, at;
  const float* logits;

 public:
  const float score, rank;
  const bool apart;

 private:
  const Normaliser normaliser;
};

// The probabilities of a few tokens among each other, as torch has them. Hypotheses that can never win have no
// scores to compare.
void share(const float* scores, int64_t count, float* shares) {
  const Vector least = _mm512_set1_ps(-std::numeric_limits<float>::max());
  float largest = -INFINITY, sum = 0;
  for (int64_t n = 0; n < count; n++) largest = std::max(largest, std::max(scores[n], _mm512_cvtss_f32(least)));
  for (int64_t n = 0; n < count; n += LANES) {
    const __mmask16 mask = first_lanes(count - n);
    const Vector values = _mm512_max_ps(_mm512_maskz_loadu_ps(mask, scores + n), least);
    _mm512_mask_storeu_ps(shares + n, mask, exponential(_mm512_sub_ps(values, _mm512_set1_ps(largest))));
  }
  for (int64_t n = 0; n < count; n++) sum += shares[n];
  for (int64_t n = 0; n < count; n++) shares[n] *= 1.0f / sum;
}

void pair(const Continuations& all, int64_t b) {
  const int64_t num_natural = all.rows * all.num_best, first = b * (num_natural + all.num_free);
  for (int64_t n = 0; n < num_natural; n++) all.pair_rows[first + n] = n / all.num_best;
  std::copy_n(all.best_tokens + b * num_natural, num_natural, all.pair_tokens + first);
  std::copy_n(all.free_rows + b * all.num_free, all.num_free, all.pair_rows + first + num_natural);
  std::copy_n(all.free_tokens + b * all.num_free, all.num_free, all.pair_tokens + first + num_natural);
}

void list(const Continuations& all, int64_t b) {
  const int64_t words_at = all.num_top, best_at = all.num_free - all.rows;
  float* scores = all.free_scores + b * all.num_free;
  int64_t *rows = all.free_rows + b * all.num_free, *tokens = all.free_tokens + b * all.num_free;
  const auto put = [&](int64_t place, float score, int64_t row, int64_t token) {
    scores[place] = score;
    rows[place] = row;
    tokens[place] = token;
  };
  Ranking top(all.num_top);
  for (int64_t r = 0; r < all.rows; r++) {
    const int64_t at = b * all.rows + r;
    const Row row(all, b, r);
    Ranking best(all.num_best), words(1);
    row.rank_all(best, top, words);
    all.end_scores[at] = row.value(all.eos_id) + row.score;
    for (int64_t m = 0; m < all.moves; m++)
      all.serving[at * all.moves + m] = row.value(all.tokens[at * all.moves + m]);
    for (int64_t n = 0; n < all.num_best; n++) {
      all.best_tokens[at * all.num_best + n] = best.best()[n].column;
      all.best_scores[at * all.num_best + n] = best.best()[n].score;
    }
    share(all.best_scores + at * all.num_best, all.num_best, all.shares + at * all.num_best);
    const Ranked &first = best.best()[0], &word = words.best()[0];
    if (all.continues_word) put(words_at + r, word.score, r, row.apart ? word.column : all.eos_id);
    put(best_at + r, first.score, r, all.needs[b] ? first.column : all.eos_id);
  }
  for (int64_t place = 0; place < all.num_top; place++)
    put(place, top.best()[place].score, top.best()[place].row, top.best()[place].column);
  pair(all, b);
}

}  // namespace

extern "C" void list_continuations(const Continuations* all) {
  for (int64_t b = 0; b < all->batch; b++) list(*all, b);
}
