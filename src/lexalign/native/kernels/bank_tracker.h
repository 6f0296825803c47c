// The constraints of a sentence, and what tokens do to them: `constraints/phrase_tracker.py`.
#pragma once

#include "bank_selection.h"
#include "team.h"

namespace {

constexpr int64_t LONG_AGO = 1 << 30;

SHARED_CODE int64_t lowest(int64_t mask) { return mask & -mask; }

// What is known of a hypothesis after a token.
struct Reached {
  int64_t node, met, effective;
  float num_complete, num_met;
  bool unfinished;
};

// The constraints of one sentence, and what tokens do to them.
class Tracker {
 public:
  SHARED_CODE Tracker(const BankStep &step, int64_t sentence)
      : step(step),
        sentence(sentence),
        everything(step.everything[sentence]),
        chains(step.chain_masks + sentence * step.chains) {}

  SHARED_CODE int64_t settle(int64_t met, int64_t effective, int64_t token) const {
    return step.continues_word && step.continues_word[token] ? met : effective;
  }

  SHARED_CODE int64_t wanted(int64_t met) const {
    int64_t unmet = ~met & everything;
    for (int64_t r = 0; r < step.chains; ++r) {
      const int64_t of_chain = unmet & chains[r];
      unmet = (unmet ^ of_chain) | lowest(of_chain);
    }
    return unmet;
  }

  // `age` are those of the chains before, and then those after.
  SHARED_CODE Reached follow(const int64_t *before, int64_t token, bool may_serve, int64_t *age) const {
    const int64_t met = settle(before[1], before[2], token);
    Reached after;
    after.node = may_serve ? go(before[0], token) : step.root[sentence];
    int64_t ended = step.ends[after.node];
    if (step.chains) {
      for (int64_t r = 0; r < step.chains; ++r) age[r] = before[3 + r];
      renew(age, met & ~before[1]);
      for (int64_t r = 0; r < step.chains; ++r) ++age[r];
      ended = count(ended, after.node, met, age);
      renew(age, ended & step.partial[sentence]);
    }
    after.effective = met | ended;
    after.met = met | (ended & step.partial[sentence]);
    after.unfinished = after.effective != everything;
    evaluate(after, age);
    return after;
  }

 private:
  SHARED_CODE int64_t go(int64_t node, int64_t token) const {
    const int64_t *tokens = step.table + node * 4 * step.moves, *targets = tokens + step.moves;
    int64_t found = step.root[sentence];
    for (int64_t m = 0; m < step.moves; ++m)
      if (tokens[m] == token) found = greater_of(found, targets[m]);
    return found;
  }

  SHARED_CODE void renew(int64_t *age, int64_t met) const {
    for (int64_t r = 0; r < step.chains; ++r)
      if (met & chains[r]) age[r] = 0;
  }

  SHARED_CODE int64_t count(int64_t ended, int64_t node, int64_t met, const int64_t *age) const {
    const int64_t *shortest = step.shortest + node * step.constraints;
    for (int64_t r = 0; r < step.chains; ++r) {
      const int64_t ahead = lowest(~met & chains[r]);
      bool counts = false;
      for (int64_t g = 0; g < step.constraints; ++g)
        counts |= (int64_t{1} << g) == ahead && shortest[g] > 0 && shortest[g] <= age[r];
      ended = (ended & ~chains[r]) | (counts ? ahead : 0);
    }
    return ended;
  }

  SHARED_CODE void evaluate(Reached &after, const int64_t *age) const {
    const float *begun = step.begun + after.node * step.constraints * step.depth;
    const int64_t next = step.chains ? wanted(after.effective) : 0, fresh = after.effective & ~after.met;
    double complete = 0.0;
    float most = 0.0f;
    for (int64_t g = 0; g < step.constraints; ++g) {
      const int64_t bit = int64_t{1} << g;
      if (after.effective & bit) {
        complete += step.value[sentence * step.constraints + g];
      } else if (!step.chains) {
        most = greater_of(most, begun[g * step.depth + step.depth - 1]);
      } else if (next & bit) {
        int64_t room = LONG_AGO;
        for (int64_t r = 0; r < step.chains; ++r)
          if (chains[r] & bit) room = lesser_of<int64_t>(room, fresh & chains[r] ? 0 : age[r]);
        most = greater_of(most, begun[g * step.depth + lesser_of(room, step.depth - 1)]);
      }
    }
    after.num_complete = static_cast<float>(complete);
    after.num_met = after.num_complete + most;
  }

  const BankStep &step;
  const int64_t sentence, everything;
  const int64_t *chains;
};

}  // namespace
