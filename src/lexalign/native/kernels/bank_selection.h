// A step of a search by banks, sentence by sentence: what `policies/vdba.py` does in tensors of a whole batch,
// to the bit. Shapes and names are those of that file and of the records that it passes around; `sums` and
// `alignments` are of the pairs of a hypothesis and a token that the scorer has asked its aligner about.
#pragma once

#include "team.h"

enum Scorer : int64_t { NO_SCORER, ALIGNMENT_SCORER, GUIDED_SCORER };

struct BankStep {
  int64_t batch, beam, rows, moves, constraints, chains, depth, num_best, num_free, source, eos_id, boundary_id;
  int64_t scorer, joint, thresholded, by_rank, average_costs, expecting;
  double length_penalty, cost_penalty, threshold, temperature, sharpness, breaking, advantage, refunded;
  double charge, free_share, boundary_cost;

  // The constraints of the sentences.
  const int64_t *root, *table, *ends;
  const float *begun;
  const int64_t *shortest, *everything, *partial, *chain_masks;
  const float *value;
  const bool *continues_word;  // null: there are no words
  const int64_t *limits;
  const float *total;
  const bool *without_source;
  const int64_t *boundary_node;
  const float *anywhere, *source_norm, *most_bonus, *share;

  // The state of the hypotheses.
  int64_t *packed;
  float *num_tokens, *scorer_bias, *bias, *rank_bonus, *costs, *num_costly, *bound_bias, *bound_constant;
  float *least, *cheapest, *end, *end_length, *mass;

  // What is known of them without their scores.
  int64_t *tokens, *served, *continued;
  bool *unfinished, *just_met, *is_begun, *at_boundary, *urgent;
  float *finish_priority, *num_needed, *num_met;

  // What the model says.
  const int64_t *clock;
  const float *hypotheses;
  int64_t hypothesis_stride;
  const float *end_scores, *free_scores;
  const int64_t *free_rows, *free_tokens;
  const float *serving;
  const int64_t *best_tokens;
  const float *best_scores, *shares, *sums;
  int64_t sum_stride, pair_stride;
  const float *alignments;

  // What is chosen.
  float *going_scores;
  int64_t *going_rows, *going_tokens, *index;
  bool *may_end;
  float *end_bias;
  int64_t *new_packed;
  float *new_num_tokens, *new_scorer_bias, *new_costs, *new_nearer;
};

namespace {

// What hypotheses are given back of what constraints have cost them: `GuidedAllocation.rank_bonus`.
SHARED_CODE float refund(const BankStep &step, float num_met, float costs) {
  return lesser_of(static_cast<float>(step.advantage) * num_met, static_cast<float>(-step.refunded) * costs);
}

}  // namespace
