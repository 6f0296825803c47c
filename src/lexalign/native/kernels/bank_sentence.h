// A step of a search by banks for one sentence, by a team: `prepare` and `select` of `policies/vdba.py`, and
// what `policies/bank_stopping.py` and `policies/coverage.py` say of ends.
#pragma once

#include "bank_candidates.h"

namespace {

template <typename Team>
SHARED_CODE void prepare_sentence(const BankStep &step, int64_t b, Team team) {
  const Tracker tracker(step, b);
  const float total = step.total[b], left = static_cast<float>(step.limits[b] - step.clock[0] - 1);
  if (team.rank == 0) step.num_needed[b] = total - left + 1.0f;
  team.each(step.rows * step.moves, [&](int64_t i) {
    const int64_t row = i / step.moves, m = i % step.moves, place = b * step.rows * step.moves + i;
    const int64_t *state = step.packed + (b * step.beam + row) * (3 + step.chains);
    const int64_t *moves = step.table + state[0] * 4 * step.moves;
    const int64_t token = greater_of<int64_t>(moves[m], 0);
    const int64_t served = tracker.wanted(tracker.settle(state[1], state[2], token)) & moves[2 * step.moves + m];
    step.served[place] = served;
    step.continued[place] = served & moves[3 * step.moves + m];
    step.tokens[place] = served ? token : step.eos_id;
  });
  team.each(step.rows, [&](int64_t row) {
    const int64_t at = b * step.rows + row, slot = b * step.beam + row;
    const int64_t *state = step.packed + slot * (3 + step.chains);
    const float complete = step.num_tokens[2 * slot], met = step.num_tokens[2 * slot + 1];
    step.unfinished[at] = state[2] != step.everything[b];
    step.just_met[at] = state[1] != state[2];
    step.is_begun[at] = met > complete;
    step.at_boundary[at] = state[0] == step.boundary_node[b];
    step.urgent[at] = met > complete || total - complete >= left;
    step.finish_priority[at] = 2.0f * met + 1.0f;
    step.num_met[at] = met;
  });
}

// Which hypotheses of a sentence end, and which candidates go on.
template <typename Team>
class Selecting {
 public:
  SHARED_CODE Selecting(const BankStep &step, int64_t sentence, Team team, Room &room)
      : step(step),
        b(sentence),
        team(team),
        listing(step, sentence, team, room),
        candidates(listing.own.candidates),
        count(listing.count),
        first_row(sentence * step.rows),
        first_slot(sentence * step.beam),
        length(static_cast<float>(step.clock[0] + 1)),
        ending(room.take<float>(step.rows)),
        anyone(room.take<int32_t>(1)) {}

  template <typename Allocation>
  SHARED_CODE void run(Allocation allocation) {
    if (team.rank == 0) *anyone = 0;
    listing.run();
    reserve();
    end();
    const int32_t *chosen = allocation(step, b, candidates, count);
    team.each(step.beam, [&](int64_t k) { write(k, chosen[k]); });
  }

 private:
  SHARED_CODE bool biased() const { return step.scorer != NO_SCORER; }

  // Leaves out who cannot meet everything any more, as long as there is someone who can.
  SHARED_CODE void reserve() {
    const float needed = step.num_needed[b];
    team.each(count, [&](int64_t c) {
      if (candidates[c].after.num_met >= needed && candidates[c].rank > NEVER) *anyone = 1;
    });
    if (!*anyone) return;
    team.each(count, [&](int64_t c) {
      if (candidates[c].after.num_met < needed) candidates[c].rank = NEVER;
    });
  }

  SHARED_CODE void end() {
    team.each(step.rows, [&](int64_t row) {
      const int64_t at = first_row + row;
      const float bias = biased() ? step.bias[first_slot + row] : 0.0f;
      const float score = biased() ? step.end_scores[at] + bias : step.end_scores[at];
      ending[row] = step.unfinished[at] ? NEVER : score;
      step.end_bias[at] = end_bias(row, bias);
    });
    team.each(step.rows, [&](int64_t row) {
      const float mine = ending[row];
      int64_t better = 0;
      for (int64_t other = 0; other < step.rows; ++other) better += ending[other] > mine;
      for (int64_t c = 0; c < count; ++c) better += !candidates[c].after.unfinished && candidates[c].rank > mine;
      step.may_end[first_row + row] = mine > NEVER && better < step.beam;
    });
  }

  SHARED_CODE float end_bias(int64_t row, float bias) const {
    const int64_t slot = first_slot + row;
    const float costs = step.costs[slot], norm = rounded_power(length, step.cost_penalty);
    const double ratio = static_cast<double>(length) / static_cast<double>(length - step.num_costly[slot]);
    const float lift = static_cast<float>(pow(ratio, step.cost_penalty) - 1.0);
    const float score = step.end_scores[first_row + row];
    const float free = (biased() ? score + bias : score) - costs;
    float missing = costs * (norm / step.source_norm[b] - 1.0f);
    missing = missing + (lift > 0.0f ? free * lift : 0.0f);
    if (step.mass) missing = missing + uncovered(slot) * norm;
    return biased() ? missing + bias : missing;
  }

  SHARED_CODE float uncovered(int64_t slot) const {
    const float *mass = step.mass + slot * step.source, *share = step.share + b * step.source;
    double missing = 0.0;
    for (int64_t s = 0; s < step.source; ++s) missing += greater_of(1.0f - mass[s], 0.0f) * share[s];
    const float beyond = static_cast<float>(missing) - static_cast<float>(step.free_share);
    return static_cast<float>(-step.charge) * greater_of(beyond, 0.0f);
  }

  SHARED_CODE void write(int64_t k, int64_t c) {
    const int64_t slot = first_slot + k;
    const Candidate &one = candidates[c];
    step.index[slot] = c;
    step.going_scores[slot] = one.rank == NEVER ? NEVER : one.score;
    step.going_rows[slot] = one.row;
    step.going_tokens[slot] = one.token;
    int64_t *packed = step.new_packed + slot * (3 + step.chains);
    packed[0] = one.after.node;
    packed[1] = one.after.met;
    packed[2] = one.after.effective;
    for (int64_t r = 0; r < step.chains; ++r) packed[3 + r] = listing.own.ages[c * step.chains + r];
    step.new_num_tokens[2 * slot] = one.after.num_complete;
    step.new_num_tokens[2 * slot + 1] = one.after.num_met;
    if (biased()) step.new_scorer_bias[slot] = step.scorer_bias[first_slot + one.row] + one.bias;
    step.new_costs[slot] = one.logprob;
    step.new_nearer[slot] = one.nearer ? 1.0f : 0.0f;
  }

  const BankStep &step;
  const int64_t b;
  const Team team;
  CandidateList<Team> listing;
  Candidate *candidates;
  const int64_t count, first_row, first_slot;
  const float length;
  float *ending;
  int32_t *anyone;
};

}  // namespace
