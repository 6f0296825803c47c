// Which candidates get the slots of a beam, by a team: `policies/banks.py` and `GuidedAllocation`. Instead of
// sorting, every candidate counts those before it.
#pragma once

#include "bank_candidates.h"

namespace {

// A candidate's rank with what constraints have cost it, where nothing but the model tells their place.
SHARED_CODE float refunded_rank(const BankStep &step, int64_t b, const Candidate &one) {
  const float costs = step.without_source[b] ? step.costs[b * step.beam + one.row] + one.logprob : 0.0f;
  return one.rank + refund(step, one.after.num_met, costs);
}

struct SlotRoom {
  int32_t *place, *depth, *best, *chosen;
  float *refunded;
  char *taken;

  SHARED_CODE SlotRoom(const BankStep &step, int64_t count, Room &room) {
    place = room.take<int32_t>(count);
    depth = room.take<int32_t>(count);
    best = room.take<int32_t>(step.by_rank + 1);
    chosen = room.take<int32_t>(step.beam);
    refunded = room.take<float>(step.by_rank ? count : 0);
    taken = room.take<char>(count);
  }
};

template <typename Team>
class Slots {
 public:
  SHARED_CODE Slots(const BankStep &step, int64_t b, const Candidate *candidates, int64_t count, Team team, Room &room)
      : own(step, count, room), step(step), b(b), candidates(candidates), count(count), team(team) {}

  SHARED_CODE void run() {
    // Where ranks are no numbers, places would be left without a candidate.
    for (int64_t k = team.rank; k < step.beam; k += team.size) own.chosen[k] = static_cast<int32_t>(k % count);
    for (int64_t k = team.rank; k < step.by_rank; k += team.size) own.best[k] = static_cast<int32_t>(k % count);
    team.each(count, [&](int64_t c) { rank(c); });
    if (step.by_rank) take_best();
    int64_t num_taken = 0;
    for (int64_t k = 0; k < step.by_rank; ++k) num_taken += stays(k);
    team.each(count, [&](int64_t c) {
      if (own.taken[c]) return;
      int64_t before = num_taken;
      for (int64_t other = 0; other < count; ++other) before += !own.taken[other] && is_before(other, c);
      if (before < step.beam) own.chosen[before] = static_cast<int32_t>(c);
    });
  }

 private:
  // The place of a candidate by rank, and in its bank.
  SHARED_CODE void rank(int64_t c) {
    const Candidate &one = candidates[c];
    int32_t place = 0, depth = 0;
    for (int64_t other = 0; other < count; ++other) {
      const Candidate &rival = candidates[other];
      const bool better = rival.rank > one.rank || (rival.rank == one.rank && other < c);
      place += better;
      depth += better && rival.after.num_met == one.after.num_met;
    }
    own.place[c] = place;
    own.depth[c] = depth;
    own.taken[c] = 0;
    if (step.by_rank) own.refunded[c] = refunded_rank(step, b, one);
  }

  // The best by rank, then the best with a refund.
  SHARED_CODE void take_best() {
    const int64_t first = (step.by_rank + 1) / 2, second = step.by_rank / 2;
    team.each(count, [&](int64_t c) {
      if (own.place[c] >= first) return;
      own.best[own.place[c]] = static_cast<int32_t>(c);
      own.refunded[c] = NEVER;
    });
    team.each(count, [&](int64_t c) {
      int64_t place = 0;
      for (int64_t other = 0; other < count && place < second; ++other)
        place += own.refunded[other] > own.refunded[c] || (own.refunded[other] == own.refunded[c] && other < c);
      if (place < second) own.best[first + place] = static_cast<int32_t>(c);
    });
    team.each(step.by_rank, [&](int64_t k) {
      if (!stays(k)) return;
      int64_t place = 0;
      for (int64_t earlier = 0; earlier < k; ++earlier) place += stays(earlier);
      if (place < step.beam) own.chosen[place] = own.best[k];
      own.taken[own.best[k]] = 1;
    });
  }

  // Where few can win, one may be named twice; the last place counts.
  SHARED_CODE bool stays(int64_t k) const {
    for (int64_t later = k + 1; later < step.by_rank; ++later)
      if (own.best[later] == own.best[k]) return false;
    return true;
  }

  // The best of every bank, the second of every bank, ...; those that can never win come last.
  SHARED_CODE bool is_before(int64_t one, int64_t other) const {
    const bool never = candidates[one].rank == NEVER, never_other = candidates[other].rank == NEVER;
    if (never != never_other) return never_other;
    if (never) return own.place[one] < own.place[other];
    if (own.depth[one] != own.depth[other]) return own.depth[one] < own.depth[other];
    return candidates[one].after.num_met > candidates[other].after.num_met;
  }

 public:
  const SlotRoom own;

 private:
  const BankStep &step;
  const int64_t b;
  const Candidate *candidates;
  const int64_t count;
  const Team team;
};

}  // namespace
