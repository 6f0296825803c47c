// A step of a search by banks on a CPU: a sentence at a time, by one thread.
#include "bank_selection.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "bank_commit.h"
#include "bank_sentence.h"
#include "bank_slots.h"

namespace {

// As `Slots`, by sorting. What is sized by the step is kept for the next one.
class SortedSlots {
 public:
  const int32_t *operator()(const BankStep &step, int64_t b, const Candidate *candidates, int64_t count) {
    order.resize(count);
    std::iota(order.begin(), order.end(), 0);
    sort_by([&](int32_t c) { return candidates[c].rank; });
    chosen.clear();
    taken.assign(count, false);
    if (step.by_rank) take_best(step, b, candidates, count);
    take_by_banks(candidates, step.beam);
    return chosen.data();
  }

 private:
  template <typename Key>
  void sort_by(Key key) {
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t c) { return key(a) > key(c); });
  }

  void take(int32_t c) {
    taken[c] = true;
    chosen.push_back(c);
  }

  void take_best(const BankStep &step, int64_t b, const Candidate *candidates, int64_t count) {
    by_rank = order;
    best.assign(order.begin(), order.begin() + (step.by_rank + 1) / 2);
    refunded.resize(count);
    for (int64_t c = 0; c < count; ++c) refunded[c] = refunded_rank(step, b, candidates[c]);
    for (int32_t c : best) refunded[c] = NEVER;
    std::iota(order.begin(), order.end(), 0);
    sort_by([&](int32_t c) { return refunded[c]; });
    best.insert(best.end(), order.begin(), order.begin() + step.by_rank / 2);
    // Where few can win, one may be named twice; the last place counts.
    for (auto c = best.begin(); c != best.end(); ++c)
      if (std::find(c + 1, best.end(), *c) == best.end()) take(*c);
    order = by_rank;
  }

  // The best of every bank, the second of every bank, ...
  void take_by_banks(const Candidate *candidates, int64_t beam) {
    depths.clear();
    turns.clear();
    for (int32_t c : order) {
      if (candidates[c].rank == NEVER) continue;
      const float bank = candidates[c].after.num_met;
      auto found = std::find_if(depths.begin(), depths.end(), [&](const Bank &one) { return one.number == bank; });
      if (found == depths.end()) found = depths.insert(depths.end(), {bank, 0});
      turns.push_back({found->depth++, bank, c});
    }
    std::stable_sort(turns.begin(), turns.end(), [](const Turn &one, const Turn &other) {
      return one.depth != other.depth ? one.depth < other.depth : one.bank > other.bank;
    });
    for (const Turn &turn : turns) {
      if (static_cast<int64_t>(chosen.size()) >= beam) return;
      if (!taken[turn.candidate]) take(turn.candidate);
    }
    for (int32_t c : order) {
      if (static_cast<int64_t>(chosen.size()) >= beam) return;
      if (!taken[c]) take(c);
    }
  }

  struct Bank {
    float number;
    int64_t depth;
  };
  struct Turn {
    int64_t depth;
    float bank;
    int32_t candidate;
  };

  std::vector<int32_t> order, by_rank, best, chosen;
  std::vector<float> refunded;
  std::vector<char> taken;
  std::vector<Bank> depths;
  std::vector<Turn> turns;
};

thread_local SortedSlots sorted_slots;
thread_local std::vector<char> memory;

// Memory for a sentence, of the size that it asks for.
template <typename Sentence>
char *memory_for(const BankStep &step) {
  Room asked(nullptr);
  if (step.batch) Sentence(step, 0, Alone(), asked);
  if (static_cast<int64_t>(memory.size()) < asked.used()) memory.resize(asked.used());
  return memory.data();
}

}  // namespace

extern "C" {

int64_t size_of_bank_step() { return sizeof(BankStep); }

void prepare_banks(const BankStep *step) {
  for (int64_t b = 0; b < step->batch; ++b) prepare_sentence(*step, b, Alone());
}

void select_by_banks(const BankStep *step) {
  char *memory = memory_for<Selecting<Alone>>(*step);
  for (int64_t b = 0; b < step->batch; ++b) {
    Room room(memory);
    Selecting<Alone>(*step, b, Alone(), room).run(std::ref(sorted_slots));
  }
}

void commit_banks(const BankStep *step) {
  char *memory = memory_for<Committing<Alone>>(*step);
  for (int64_t b = 0; b < step->batch; ++b) {
    Room room(memory);
    Committing<Alone>(*step, b, Alone(), room).run();
  }
}
}
