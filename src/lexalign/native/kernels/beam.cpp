// What a step of beam search does whatever its policy: continuations of plain search, what ends is finished, what
// goes on is written down, and whether more is to be expected; with the bits of `decoding/search.py`.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ranking.h"

namespace {

struct PlainStep {
  int64_t batch, rows, size, beam, num_top, eos_id;
  const float* logits;      // (batch, rows, size)
  const float* hypotheses;  // (batch, rows), with a stride
  int64_t hypothesis_stride;
  float* going_scores;      // (batch, beam)
  int64_t *going_rows, *going_tokens;
  float* ended_scores;      // (batch, beam): the best, of which those that end are marked
  int64_t *ended_rows, *ended_tokens;
  bool* ends;
};

// The best that do not end go on; where they are too few, ends fill the beam, and can never win.
void select(const PlainStep& step, int64_t b, const std::vector<Ranked>& best) {
  const int64_t first = b * step.beam;
  int64_t slot = 0;
  const auto go_on = [&](const Ranked& one, float score) {
    if (slot == step.beam) return;
    step.going_scores[first + slot] = score;
    step.going_rows[first + slot] = one.row;
    step.going_tokens[first + slot] = one.column;
    slot++;
  };
  for (const Ranked& one : best)
    if (one.column != step.eos_id) go_on(one, one.score);
  for (const Ranked& one : best)
    if (one.column == step.eos_id) go_on(one, -INFINITY);
  for (int64_t place = 0; place < step.beam; place++) {
    step.ended_scores[first + place] = best[place].score;
    step.ended_rows[first + place] = best[place].row;
    step.ended_tokens[first + place] = best[place].column;
    step.ends[first + place] = best[place].column == step.eos_id;
  }
}

struct BeamStep {
  int64_t batch, beam, num_ended, num_best;
  const float* going_scores;       // (batch, beam)
  const int64_t *going_rows, *going_tokens;
  const float *ended_scores, *ended_bias;  // (batch, num_ended), with strides; a bias may be null
  const int64_t* ended_rows;
  const bool* ends;
  int64_t score_stride, bias_stride, row_stride, end_stride;
  int64_t* token_ids;              // (batch, beam)
  float* scores;
  int64_t* clock;
  float* past_scores;              // (steps, batch, beam)
  int64_t *past_rows, *past_tokens;
  float *final_scores, *log_probabilities;  // (batch, num_best), best first
  int64_t *lengths, *last_rows;
  bool* over;                      // (batch,)
  int64_t stops_when_over;         // else nothing is ever over, and what comes late counts as well
  const float *bound_bias, *bound_constant, *num_settled;  // (batch, beam), or null
  int64_t plain_lengths;           // a length penalty of 1: lengths are what they are
  double norm, next_norm;          // of the length with an end of sentence, now and after this step
};

// Inserts behind what is as good.
void finish(const BeamStep& step, int64_t b, int64_t place) {
  const float log_probability = step.ended_scores[b * step.score_stride + place];
  const float rank =
      step.ended_bias ? log_probability + step.ended_bias[b * step.bias_stride + place] : log_probability;
  const float score = rank / static_cast<float>(step.norm);
  float* scores = step.final_scores + b * step.num_best;
  int64_t slot = step.num_best;
  while (slot && scores[slot - 1] < score) slot--;
  if (slot == step.num_best) return;
  const auto insert = [&](auto* values, auto value) {
    values += b * step.num_best;
    std::copy_backward(values + slot, values + step.num_best - 1, values + step.num_best);
    values[slot] = value;
  };
  insert(step.final_scores, score);
  insert(step.log_probabilities, log_probability);
  insert(step.lengths, *step.clock);
  insert(step.last_rows, step.ended_rows[b * step.row_stride + place]);
}

// `StoppingBound.best_reachable`, token for token.
bool nothing_better(const BeamStep& step, int64_t b) {
  float best = -INFINITY;
  for (int64_t slot = b * step.beam; slot < (b + 1) * step.beam; slot++) {
    float norm = static_cast<float>(step.next_norm);
    if (step.num_settled && step.plain_lengths)
      norm = static_cast<float>(*step.clock + 1) - step.num_settled[slot];
    float rank = step.scores[slot];
    if (step.bound_bias) rank += step.bound_bias[slot];
    rank /= norm;
    if (step.bound_constant) rank += step.bound_constant[slot];
    best = std::max(best, rank);
  }
  return step.final_scores[(b + 1) * step.num_best - 1] >= best;
}

}  // namespace

extern "C" {

void forbid_columns(float* values, int64_t rows, int64_t size, const int64_t* columns, int64_t count) {
  for (int64_t row = 0; row < rows; row++)
    for (int64_t i = 0; i < count; i++) values[row * size + columns[i]] = -INFINITY;
}

void select_plain(const PlainStep* step) {
  Ranking ranking(step->num_top);
  for (int64_t b = 0; b < step->batch; b++) {
    ranking.reset();
    for (int64_t row = 0; row < step->rows; row++) {
      const float score = step->hypotheses[b * step->hypothesis_stride + row];
      rank_row(step->logits + (b * step->rows + row) * step->size, step->size, score, score, row, ranking);
    }
    select(*step, b, ranking.best());
  }
}

// Whether anything ends in this step.
bool finish_ended(const BeamStep* step) {
  bool any = false;
  for (int64_t b = 0; b < step->batch; b++)
    for (int64_t place = 0; place < step->num_ended; place++) {
      if (!step->ends[b * step->end_stride + place]) continue;
      any = true;
      if (!(step->stops_when_over && step->over[b])) finish(*step, b, place);
    }
  return any;
}

// Continues with what goes on.
void advance_beam(const BeamStep* step) {
  const int64_t count = step->batch * step->beam, past = *step->clock * count;
  std::copy_n(step->going_scores, count, step->past_scores + past);
  std::copy_n(step->going_rows, count, step->past_rows + past);
  std::copy_n(step->going_tokens, count, step->past_tokens + past);
  std::copy_n(step->going_scores, count, step->scores);
  std::copy_n(step->going_tokens, count, step->token_ids);
  ++*step->clock;
}

// The tokens of finished hypotheses and their scores so far (steps, sentences, num_best), from their last rows
// back; zero behind their ends.
void walk_back(const BeamStep* step, const int64_t* sentences, int64_t count, const int64_t* lengths,
               const int64_t* last_rows, int64_t steps, int64_t* tokens, float* scores) {
  for (int64_t i = 0; i < count; i++)
    for (int64_t n = 0; n < step->num_best; n++) {
      const int64_t found = i * step->num_best + n;
      int64_t row = last_rows[found];
      for (int64_t t = steps - 1; t >= 0; t--) {
        const int64_t at = (t * step->batch + sentences[i]) * step->beam + row;
        const int64_t to = t * count * step->num_best + found;
        const bool reached = t < lengths[found];
        tokens[to] = reached ? step->past_tokens[at] : 0;
        scores[to] = reached ? step->past_scores[at] : 0.0f;
        if (reached) row = step->past_rows[at];
      }
    }
}

// How many sentences are over.
int64_t see_what_is_over(const BeamStep* step) {
  int64_t number = 0;
  for (int64_t b = 0; b < step->batch; b++) number += step->over[b] |= nothing_better(*step, b);
  return number;
}
}
