// A step of token replacement for one sentence, by a team: what `policies/token_replacement.py` does in tensors
// of a whole batch, to the bit. Shapes and names are those of that file.
#pragma once

#include "team.h"

namespace {

struct ReplacementStep {
  int64_t batch, beam, rows, num_top, num_forms, longest, source, eos_id;
  const int64_t *tokens, *lengths, *constraint;  // (batch, num_forms, longest), (batch, num_forms) twice
  const bool *of_form, *asks;                    // (batch, source, num_forms), (batch,)
  int64_t *form, *position, *used;               // (batch, beam)
  float *bias;
  int64_t *next_tokens;  // (batch, rows, num_forms + 1): the first of every form, and what must come now

  const int64_t *best_tokens;  // (batch, rows, 2)
  const float *best_scores;
  const float *top_scores;  // (batch, top_stride)
  const int64_t *top_rows, *top_tokens;
  int64_t top_stride;
  const float *serving;  // (batch, rows, num_forms + 1), log-probabilities of `next_tokens`
  const float *hypotheses;
  int64_t hypothesis_stride;
  const float *alignments;  // (batch, rows * 2, source)

  float *going_scores, *going_bias;  // (batch, beam)
  int64_t *going_rows, *going_tokens;
  float *ended_scores, *ended_bias;
  int64_t *ended_rows, *ended_tokens;
  bool *ends;
  int64_t *new_form, *new_position, *new_used;
};

struct Proposal {
  float score, bias, rank;
  int64_t row, token, form, position, used;
  bool there;
};

// The tokens whose log-probabilities are needed.
template <typename Team>
SHARED_CODE void prepare_forms(const ReplacementStep &step, int64_t b, Team team) {
  const int64_t width = step.num_forms + 1;
  team.each(step.rows * width, [&](int64_t i) {
    const int64_t row = i / width, slot = b * step.beam + row, first = b * step.num_forms;
    const bool begins = i % width < step.num_forms;
    const int64_t form = begins ? i % width : greater_of<int64_t>(step.form[slot], 0);
    const int64_t position = begins ? 0 : step.position[slot];
    const int64_t token = step.tokens[(first + form) * step.longest + position];
    step.next_tokens[b * step.rows * width + i] = greater_of<int64_t>(token, 0);
  });
}

template <typename Team>
class Replacing {
 public:
  SHARED_CODE Replacing(const ReplacementStep &step, int64_t b, Team team, Room &room)
      : step(step),
        b(b),
        first_slot(b * step.beam),
        count(2 * step.beam),
        team(team),
        proposals(room.take<Proposal>(count)),
        order(room.take<int32_t>(count)) {}

  SHARED_CODE void run() {
    team.each(count, [&](int64_t c) {
      if (step.asks[b]) propose_of_two(c);
      else propose_of_top(c);
      Proposal &one = proposals[c];
      one.there = is_number(one.score) && is_number(one.bias);
    });
    team.each(count, [&](int64_t c) { score(c); });
    team.each(count, [&](int64_t c) { order[c] = static_cast<int32_t>(c); });
    team.each(count, [&](int64_t c) { order[places_before(c, false)] = static_cast<int32_t>(c); });
    team.each(count, [&](int64_t c) {
      if (c < step.beam) end(proposals[order[c]], first_slot + c);
      const int64_t slot = places_before(c, true);
      if (slot < step.beam) go_on(proposals[c], first_slot + slot);
    });
  }

 private:
  SHARED_CODE static bool is_number(float x) { return x - x == 0.0f; }

  SHARED_CODE float hypothesis(int64_t row) const { return step.hypotheses[b * step.hypothesis_stride + row]; }

  SHARED_CODE void propose_of_two(int64_t c) {
    const int64_t at = b * step.rows * 2 + c;
    if (c < 2 * step.rows) propose(proposals[c], step.best_scores[at], c / 2, step.best_tokens[at], aligned(c));
    else propose(proposals[c], NEVER, 0, 0, 0);
  }

  SHARED_CODE void propose_of_top(int64_t c) {
    const int64_t at = b * step.top_stride + c;
    if (c < step.num_top) propose(proposals[c], step.top_scores[at], step.top_rows[at], step.top_tokens[at], -1);
    else propose(proposals[c], NEVER, 0, 0, -1);
  }

  // The source token that a proposed one comes from; of equals the first.
  SHARED_CODE int64_t aligned(int64_t c) const {
    const float *found = step.alignments + (b * step.rows * 2 + c) * step.source;
    int64_t best = 0;
    for (int64_t s = 1; s < step.source; ++s)
      if (found[best] < found[s]) best = s;
    return best;
  }

  // The token as it is generated; for now `score` is that of the token that was proposed.
  SHARED_CODE void propose(Proposal &one, float score, int64_t row, int64_t token, int64_t source) {
    const int64_t slot = first_slot + row;
    const bool within = step.form[slot] >= 0;
    const int64_t form = within ? step.form[slot] : source < 0 ? -1 : begin(row, source, step.used[slot]);
    one = {score, score, NEVER, row, token, -1, 0, step.used[slot], false};
    if (form < 0) return;
    const int64_t position = within ? step.position[slot] : 0, at = b * step.num_forms + form;
    one.token = greater_of<int64_t>(step.tokens[at * step.longest + position], 0);
    one.score = log_probability(row, within ? step.num_forms : form) + hypothesis(row);
    one.used |= step.constraint[at];
    if (position + 1 < step.lengths[at]) {
      one.form = form;
      one.position = position + 1;
    }
  }

  SHARED_CODE float log_probability(int64_t row, int64_t form) const {
    return step.serving[(b * step.rows + row) * (step.num_forms + 1) + form];
  }

  // The form that begins where a source token is translated: of several, the most probable.
  SHARED_CODE int64_t begin(int64_t row, int64_t source, int64_t used) const {
    const bool *of_form = step.of_form + (b * step.source + source) * step.num_forms;
    int64_t found = -1;
    float best = NEVER;
    for (int64_t form = 0; form < step.num_forms; ++form) {
      if (!of_form[form] || (used & step.constraint[b * step.num_forms + form])) continue;
      const float likely = log_probability(row, form) + hypothesis(row);
      if (likely > best) best = likely, found = form;
    }
    return found;
  }

  // Ranks are those of the proposed tokens; of candidates that have become the same, the first stays.
  SHARED_CODE void score(int64_t c) {
    Proposal &one = proposals[c];
    bool stays = one.there;
    for (int64_t other = 0; other < c && stays; ++other) {
      const Proposal &rival = proposals[other];
      stays = !(rival.there && rival.row == one.row && rival.token == one.token);
    }
    const float change = stays ? one.bias - one.score : 0.0f;
    if (!stays) one.score = NEVER;
    one.bias = step.bias[first_slot + one.row] + change;
    one.rank = one.score + one.bias;
  }

  // How many come before a candidate by rank; if it is to go on, those come first that can.
  SHARED_CODE int64_t places_before(int64_t c, bool going) const {
    const Proposal &one = proposals[c];
    const bool goes = goes_on(one);
    int64_t before = 0;
    for (int64_t other = 0; other < count; ++other) {
      const Proposal &rival = proposals[other];
      const bool better = rival.rank > one.rank || (rival.rank == one.rank && other < c);
      if (!going) before += better;
      else if (goes) before += better && goes_on(rival);
      else before += goes_on(rival) || other < c;
    }
    return before;
  }

  SHARED_CODE bool goes_on(const Proposal &one) const { return one.token != step.eos_id && one.rank > NEVER; }

  SHARED_CODE void end(const Proposal &one, int64_t slot) {
    step.ended_scores[slot] = one.score;
    step.ended_bias[slot] = one.bias;
    step.ended_rows[slot] = one.row;
    step.ended_tokens[slot] = one.token;
    step.ends[slot] = one.token == step.eos_id && one.rank > NEVER;
  }

  SHARED_CODE void go_on(const Proposal &one, int64_t slot) {
    step.going_scores[slot] = goes_on(one) ? one.score : NEVER;
    step.going_bias[slot] = one.bias;
    step.going_rows[slot] = one.row;
    step.going_tokens[slot] = one.token;
    step.new_form[slot] = one.form;
    step.new_position[slot] = one.position;
    step.new_used[slot] = one.used;
  }

  const ReplacementStep &step;
  const int64_t b, first_slot, count;
  const Team team;
  Proposal *proposals;
  int32_t *order;
};

template <typename Team>
SHARED_CODE void commit_forms(const ReplacementStep &step, int64_t b, Team team) {
  team.each(step.beam, [&](int64_t k) {
    const int64_t slot = b * step.beam + k;
    step.form[slot] = step.new_form[slot];
    step.position[slot] = step.new_position[slot];
    step.used[slot] = step.new_used[slot];
    step.bias[slot] = step.going_bias[slot];
  });
}

}  // namespace
