// What was selected of a sentence becomes its hypotheses: `commit` of `policies/vdba.py`,
// `policies/bank_stopping.py` and `policies/coverage.py`, by a team.
#pragma once

#include "bank_selection.h"
#include "team.h"

namespace {

constexpr float PAST = 1.25f;

template <typename Team>
class Committing {
 public:
  SHARED_CODE Committing(const BankStep &step, int64_t sentence, Team team, Room &room)
      : step(step),
        b(sentence),
        first(sentence * step.beam),
        team(team),
        costs(room.take<float>(step.beam)),
        num_costly(room.take<float>(step.beam)),
        mass(room.take<float>(step.mass ? step.beam * step.source : 0)) {}

  SHARED_CODE void run() {
    remember();
    if (step.mass) team.each(step.beam * step.source, [&](int64_t i) { cover(i / step.source, i % step.source); });
    team.each(step.beam, [&](int64_t k) { go_on(first + k); });
    if (step.average_costs) return;
    const float least = step.expecting ? least_paid() : NEVER;
    team.wait();  // until all have read what the first now changes
    if (step.expecting && team.rank == 0) step.least[b] = least;
    team.each(step.beam, [&](int64_t k) {
      const float paid = step.expecting ? expected_cost(first + k, least) : step.costs[first + k];
      step.bound_constant[first + k] = paid / step.source_norm[b];
    });
  }

 private:
  // What hypotheses take over from one another, before any of it is changed.
  SHARED_CODE void remember() {
    if (step.expecting && team.rank == 0) see_ends();
    if (step.mass)
      for (int64_t i = team.rank; i < step.beam * step.source; i += team.size)
        mass[i] = step.mass[first * step.source + i];
    team.each(step.beam, [&](int64_t k) {
      costs[k] = step.costs[first + k];
      num_costly[k] = step.num_costly[first + k];
    });
  }

  // What ends says of what is still to be paid.
  SHARED_CODE void see_ends() {
    const float length = static_cast<float>(step.clock[0] + 1), norm = rounded_power(length, step.length_penalty);
    float ended = NEVER, best = NEVER;
    for (int64_t row = 0; row < step.rows; ++row) {
      const int64_t at = b * step.rows + row;
      if (step.may_end[at]) ended = greater_of(ended, step.costs[first + row]);
      best = greater_of(best, step.end_scores[at] / norm);
    }
    step.cheapest[b] = greater_of(step.cheapest[b], ended);
    if (best > step.end[b]) step.end_length[b] = length;
    step.end[b] = greater_of(step.end[b], best);
  }

  SHARED_CODE void cover(int64_t k, int64_t s) {
    const int64_t slot = first + k, num_natural = step.rows * step.num_best, index = step.index[slot];
    const float *now = step.alignments + (b * (num_natural + step.num_free) + num_natural + index) * step.source;
    const float past = mass[step.going_rows[slot] * step.source + s];
    step.mass[slot * step.source + s] = past + (index < step.num_free ? now[s] : 0.0f);
  }

  SHARED_CODE void go_on(int64_t slot) {
    const int64_t row = step.going_rows[slot], width = 3 + step.chains;
    for (int64_t i = 0; i < width; ++i) step.packed[slot * width + i] = step.new_packed[slot * width + i];
    step.num_tokens[2 * slot] = step.new_num_tokens[2 * slot];
    step.num_tokens[2 * slot + 1] = step.new_num_tokens[2 * slot + 1];
    step.costs[slot] = costs[row] + step.new_costs[slot];
    step.num_costly[slot] = num_costly[row] + step.new_nearer[slot];
    float most = step.most_bonus[b];
    if (step.scorer) {
      step.scorer_bias[slot] = step.bias[slot] = step.new_scorer_bias[slot];
      most += step.scorer_bias[slot];
    }
    step.bound_bias[slot] = step.average_costs ? most : most - step.costs[slot];
    if (step.rank_bonus) {
      const float paid = step.without_source[b] ? step.costs[slot] : 0.0f;
      step.rank_bonus[slot] = refund(step, step.num_tokens[2 * slot + 1], paid);
    }
  }

  SHARED_CODE float least_paid() const {
    float least = step.least[b];
    for (int64_t slot = first; slot < first + step.beam; ++slot) {
      const float met = step.num_tokens[2 * slot + 1];
      if (step.going_scores[slot] > NEVER && met > 0.0f)
        least = greater_of(least, step.costs[slot] / greater_of(met, 1.0f));
    }
    return least;
  }

  SHARED_CODE float expected_cost(int64_t slot, float least) const {
    const float paid = step.costs[slot], missing = greater_of(step.total[b] - step.num_tokens[2 * slot + 1], 0.0f);
    const float length = static_cast<float>(step.clock[0] + 2), norm = rounded_power(length, step.length_penalty);
    const float expected = paid + missing * (least == NEVER ? 0.0f : least);
    const bool past = length >= PAST * step.end_length[b] && step.going_scores[slot] / norm <= step.end[b] &&
                      missing > 0.0f && step.cheapest[b] > NEVER;
    return past ? lesser_of(expected, step.cheapest[b]) : expected;
  }

  const BankStep &step;
  const int64_t b, first;
  const Team team;
  float *costs, *num_costly, *mass;
};

}  // namespace
