#include "bank_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace {

constexpr float NEVER = -std::numeric_limits<float>::infinity();
constexpr float LEAST_LOG_PROBABILITY = -50.0f, LEAST_DUE = 1e-4f, LEAST_MASS = 1e-12f, MOST_EXCLUDED = 0.99f;
constexpr float PAST = 1.25f;
constexpr int64_t LONG_AGO = 1 << 30;

float rounded_log(float x) { return static_cast<float>(std::log(static_cast<double>(x))); }

float rounded_power(double x, double exponent) { return static_cast<float>(std::pow(x, exponent)); }

int64_t lowest(int64_t mask) { return mask & -mask; }

// What is known of a hypothesis after a token.
struct Reached {
  int64_t node, met, effective;
  float num_complete, num_met;
  bool unfinished;
};

struct Candidate {
  float score, bias, rank, logprob;
  int64_t row, token;
  bool may_serve, nearer;
  Reached after;
};

// The constraints of one sentence, and what tokens do to them.
class Tracker {
 public:
  Tracker(const BankStep &step, int64_t sentence)
      : step(step),
        sentence(sentence),
        everything(step.everything[sentence]),
        chains(step.chain_masks + sentence * step.chains) {}

  int64_t settle(int64_t met, int64_t effective, int64_t token) const {
    return step.continues_word && step.continues_word[token] ? met : effective;
  }

  int64_t wanted(int64_t met) const {
    int64_t unmet = ~met & everything;
    for (int64_t r = 0; r < step.chains; ++r) {
      const int64_t of_chain = unmet & chains[r];
      unmet = (unmet ^ of_chain) | lowest(of_chain);
    }
    return unmet;
  }

  // `age` are those of the chains before, and then those after.
  Reached follow(const int64_t *before, int64_t token, bool may_serve, int64_t *age) const {
    const int64_t met = settle(before[1], before[2], token);
    Reached after;
    after.node = may_serve ? go(before[0], token) : step.root[sentence];
    int64_t ended = step.ends[after.node];
    if (step.chains) {
      std::copy_n(before + 3, step.chains, age);
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
  int64_t go(int64_t node, int64_t token) const {
    const int64_t *tokens = step.table + node * 4 * step.moves, *targets = tokens + step.moves;
    int64_t found = step.root[sentence];
    for (int64_t m = 0; m < step.moves; ++m)
      if (tokens[m] == token) found = std::max(found, targets[m]);
    return found;
  }

  void renew(int64_t *age, int64_t met) const {
    for (int64_t r = 0; r < step.chains; ++r)
      if (met & chains[r]) age[r] = 0;
  }

  int64_t count(int64_t ended, int64_t node, int64_t met, const int64_t *age) const {
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

  void evaluate(Reached &after, const int64_t *age) const {
    const float *begun = step.begun + after.node * step.constraints * step.depth;
    const int64_t next = step.chains ? wanted(after.effective) : 0, fresh = after.effective & ~after.met;
    double complete = 0.0;
    float most = 0.0f;
    for (int64_t g = 0; g < step.constraints; ++g) {
      const int64_t bit = int64_t{1} << g;
      if (after.effective & bit) {
        complete += step.value[sentence * step.constraints + g];
      } else if (!step.chains) {
        most = std::max(most, begun[g * step.depth + step.depth - 1]);
      } else if (next & bit) {
        int64_t room = LONG_AGO;
        for (int64_t r = 0; r < step.chains; ++r)
          if (chains[r] & bit) room = std::min(room, fresh & chains[r] ? 0 : age[r]);
        most = std::max(most, begun[g * step.depth + std::min(room, step.depth - 1)]);
      }
    }
    after.num_complete = static_cast<float>(complete);
    after.num_met = after.num_complete + most;
  }

  const BankStep &step;
  const int64_t sentence, everything;
  const int64_t *chains;
};

// The selection of one sentence; what is sized by the step is kept for the next one.
class Selection {
 public:
  Selection(BankStep &step, int64_t sentence)
      : step(step),
        b(sentence),
        tracker(step, sentence),
        num_serving(step.rows * step.moves),
        first_row(sentence * step.rows),
        first_slot(sentence * step.beam),
        length(static_cast<float>(step.clock[0] + 1)) {}

  void run() {
    list_free();
    list_serving();
    drop_repeated();
    follow();
    reserve();
    end();
    allocate();
    write();
  }

 private:
  float hypothesis(int64_t row) const { return step.hypotheses[b * step.hypothesis_stride + row]; }

  // The mass of a pair on each constraint's source, and behind them on any.
  const float *masses(int64_t pair) const { return step.sums + b * step.sum_stride + pair * step.pair_stride; }

  bool is_in_word(int64_t token) const { return step.continues_word && step.continues_word[token]; }

  bool biased() const { return step.scorer != NO_SCORER; }

  void list_free() {
    candidates.resize(step.num_free + num_serving);
    for (int64_t c = 0; c < step.num_free; ++c) {
      const int64_t at = b * step.num_free + c;
      Candidate &one = candidates[c];
      one.score = step.free_scores[at];
      one.row = step.free_rows[at];
      one.token = step.free_tokens[at];
      one.bias = step.scorer == GUIDED_SCORER ? free_bias(one, c) : 0.0f;
      one.may_serve = !step.joint;
    }
  }

  float free_bias(const Candidate &one, int64_t c) const {
    const float mass = masses(step.rows * step.num_best + c)[step.constraints];
    const float kept = 1.0f - std::clamp(mass, 0.0f, MOST_EXCLUDED);
    const float added = rounded_log(kept) / static_cast<float>(step.temperature);
    const int64_t row = first_row + one.row;
    const bool broken = step.is_begun[row] || (step.just_met[row] && is_in_word(one.token));
    return broken ? added - static_cast<float>(step.breaking) : added;
  }

  void list_serving() {
    for (int64_t row = 0; row < step.rows; ++row) {
      const int64_t at = (first_row + row) * step.moves;
      if (step.scorer == GUIDED_SCORER) weigh(row);
      for (int64_t m = 0; m < step.moves; ++m) {
        Candidate &one = candidates[step.num_free + row * step.moves + m];
        one.score = step.serving[at + m] + hypothesis(row);
        one.row = row;
        one.token = step.tokens[at + m];
        one.may_serve = true;
        one.bias = 0.0f;
        if (step.scorer == ALIGNMENT_SCORER) one.bias = alignment_bias(row, m);
        if (step.scorer == GUIDED_SCORER) one.bias = guided_bias(row, m);
        if (biased() && !is_tried(row, m, one.bias)) one.score = NEVER;
      }
    }
  }

  bool is_tried(int64_t row, int64_t m, float bias) const {
    const int64_t at = first_row + row;
    if (!step.served[at * step.moves + m]) return false;
    if (!step.thresholded || bias >= static_cast<float>(step.threshold)) return true;
    return step.urgent[at] || step.end_scores[at] >= step.best_scores[at * step.num_best];
  }

  float alignment_bias(int64_t row, int64_t m) const {
    const int64_t pair = row * step.moves + m, served = step.served[first_row * step.moves + pair];
    const float *mass = masses(pair), *anywhere = step.anywhere + b * step.constraints;
    float best = 0.0f;
    for (int64_t g = 0; g < step.constraints; ++g)
      if (served >> g & 1) best = std::max(best, mass[g] + anywhere[g]);
    return rounded_log(std::clamp(best, LEAST_MASS, 1.0f)) / static_cast<float>(step.temperature);
  }

  // By constraint, for one row: how far its source is due, and what the tokens for it have together.
  void weigh(int64_t row) {
    const int64_t at = (first_row + row) * step.moves, best = (first_row + row) * step.num_best;
    due.resize(step.constraints);
    together.resize(2 * step.constraints);
    for (int64_t g = 0; g < step.constraints; ++g) {
      double at_word = 0.0;
      for (int64_t n = 0; n < step.num_best; ++n)
        if (!is_in_word(step.best_tokens[best + n]))
          at_word += masses(row * step.num_best + n)[g] * step.shares[best + n];
      due[g] = rounded_log(std::clamp(static_cast<float>(at_word), LEAST_DUE, 1.0f));
      double first = 0.0, later = 0.0;
      for (int64_t m = 0; m < step.moves; ++m) {
        const bool serves = step.served[at + m] >> g & 1, continues = step.continued[at + m] >> g & 1;
        const double own = std::exp(static_cast<double>(serves ? log_probability(at + m) : LEAST_LOG_PROBABILITY));
        const double least = std::exp(static_cast<double>(LEAST_LOG_PROBABILITY));
        first += serves && !continues ? own : least;
        later += continues ? own : least;
      }
      together[2 * g] = static_cast<float>(std::log(first));
      together[2 * g + 1] = static_cast<float>(std::log(later));
    }
  }

  float log_probability(int64_t at) const { return std::max(step.serving[at], LEAST_LOG_PROBABILITY); }

  float guided_bias(int64_t row, int64_t m) const {
    const int64_t at = (first_row + row) * step.moves + m, served = step.served[at];
    if (!served) return 0.0f;
    const float own = log_probability(at), *anywhere = step.anywhere + b * step.constraints;
    const bool in_word = is_in_word(step.tokens[at]), begun = step.is_begun[first_row + row];
    float best = NEVER;
    for (int64_t g = 0; g < step.constraints; ++g) {
      if (!(served >> g & 1)) continue;
      float ours = own;
      if (anywhere[g] == 0.0f) {
        if (step.continued[at] >> g & 1) {
          ours = begun ? own - together[2 * g + 1] : own;
        } else {
          const float placed = static_cast<float>(step.sharpness) * due[g] + (own - together[2 * g]);
          ours = in_word ? own : placed;
          if (begun) ours -= static_cast<float>(step.breaking);
        }
      }
      best = std::max(best, ours);
    }
    return best - own;
  }

  void drop_repeated() {
    for (Candidate &one : candidates) one.rank = one.score + one.bias;
    const int64_t count = candidates.size(), known = step.joint ? count : step.num_free;
    dropped.assign(count, false);
    for (int64_t c = 0; c < (step.joint ? step.num_free : count); ++c) {
      const Candidate &one = candidates[c];
      bool drop = one.token == step.eos_id;
      for (int64_t other = 0; other < known && !drop; ++other) {
        const Candidate &rival = candidates[other];
        if (rival.row != one.row || rival.token != one.token) continue;
        const bool first = other < c || (step.joint && other >= step.num_free);
        drop = first && (!step.joint || one.rank <= rival.rank);
      }
      dropped[c] = drop;
    }
    for (int64_t c = 0; c < count; ++c)
      if (dropped[c]) candidates[c].score = NEVER;
  }

  void follow() {
    const int64_t width = 3 + step.chains;
    ages.resize(candidates.size() * step.chains);
    for (size_t c = 0; c < candidates.size(); ++c) {
      Candidate &one = candidates[c];
      const int64_t *before = step.packed + (first_slot + one.row) * width;
      one.after = tracker.follow(before, one.token, one.may_serve, ages.data() + c * step.chains);
      if (biased()) one.rank = one.score + (step.scorer_bias[first_slot + one.row] + one.bias);
      else one.rank = one.score;
      one.nearer = one.after.num_met > step.num_met[first_row + one.row];
      one.logprob = one.score > NEVER ? one.score - hypothesis(one.row) : 0.0f;
      if (biased()) one.logprob += one.bias;
      if (!one.nearer) one.logprob = 0.0f;
    }
  }

  // Leaves out who cannot meet everything any more, as long as there is someone who can.
  void reserve() {
    const float needed = step.num_needed[b];
    const bool anyone = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate &one) {
      return one.after.num_met >= needed && one.rank > NEVER;
    });
    if (!anyone) return;
    for (Candidate &one : candidates)
      if (one.after.num_met < needed) one.rank = NEVER;
  }

  void end() {
    ending.assign(step.rows, NEVER);
    for (int64_t row = 0; row < step.rows; ++row) {
      const int64_t at = first_row + row;
      const float bias = biased() ? step.bias[first_slot + row] : 0.0f;
      step.end_bias[at] = end_bias(row, bias);
      if (!step.unfinished[at]) ending[row] = biased() ? step.end_scores[at] + bias : step.end_scores[at];
    }
    for (int64_t row = 0; row < step.rows; ++row) {
      const float mine = ending[row];
      int64_t better = std::count_if(ending.begin(), ending.end(), [&](float rival) { return rival > mine; });
      for (const Candidate &one : candidates) better += !one.after.unfinished && one.rank > mine;
      step.may_end[first_row + row] = mine > NEVER && better < step.beam;
    }
  }

  float end_bias(int64_t row, float bias) const {
    const int64_t slot = first_slot + row;
    const float costs = step.costs[slot], norm = rounded_power(length, step.cost_penalty);
    const double ratio = static_cast<double>(length) / static_cast<double>(length - step.num_costly[slot]);
    const float lift = static_cast<float>(std::pow(ratio, step.cost_penalty) - 1.0);
    const float score = step.end_scores[first_row + row];
    const float free = (biased() ? score + bias : score) - costs;
    float missing = costs * (norm / step.source_norm[b] - 1.0f);
    missing = missing + (lift > 0.0f ? free * lift : 0.0f);
    if (step.mass) missing = missing + uncovered(slot) * norm;
    return biased() ? missing + bias : missing;
  }

  float uncovered(int64_t slot) const {
    const float *mass = step.mass + slot * step.source, *share = step.share + b * step.source;
    double missing = 0.0;
    for (int64_t s = 0; s < step.source; ++s) missing += std::max(1.0f - mass[s], 0.0f) * share[s];
    const float beyond = static_cast<float>(missing) - static_cast<float>(step.free_share);
    return static_cast<float>(-step.charge) * std::max(beyond, 0.0f);
  }

  float refund(float num_met, float costs) const {
    return std::min(static_cast<float>(step.advantage) * num_met, static_cast<float>(-step.refunded) * costs);
  }

  // The best by rank, if so many slots are theirs; then the best of every bank, the second of every bank, ...
  void allocate() {
    const int64_t count = candidates.size();
    order.resize(count);
    for (int64_t c = 0; c < count; ++c) order[c] = c;
    sort_by([&](int64_t c) { return candidates[c].rank; });
    chosen.clear();
    taken.assign(count, false);
    if (step.by_rank) {
      by_rank = order;
      best.assign(order.begin(), order.begin() + (step.by_rank + 1) / 2);
      with_refund.resize(count);
      for (int64_t c = 0; c < count; ++c) {
        const Candidate &one = candidates[c];
        const float costs = step.without_source[b] ? step.costs[first_slot + one.row] + one.logprob : 0.0f;
        with_refund[c] = one.rank + refund(one.after.num_met, costs);
      }
      for (int64_t c : best) with_refund[c] = NEVER;
      std::sort(order.begin(), order.end());
      sort_by([&](int64_t c) { return with_refund[c]; });
      best.insert(best.end(), order.begin(), order.begin() + step.by_rank / 2);
      take_best();
      order = by_rank;
    }
    take_by_banks();
  }

  template <typename Key>
  void sort_by(Key key) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t c) { return key(a) > key(c); });
  }

  void take(int64_t c) {
    taken[c] = true;
    chosen.push_back(c);
  }

  // Where few can win, one may be named twice; the last place counts.
  void take_best() {
    for (auto c = best.begin(); c != best.end(); ++c)
      if (std::find(c + 1, best.end(), *c) == best.end()) take(*c);
  }

  void take_by_banks() {
    depths.clear();
    turns.clear();
    for (int64_t c : order) {
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
      if (static_cast<int64_t>(chosen.size()) >= step.beam) return;
      if (!taken[turn.candidate]) take(turn.candidate);
    }
    for (int64_t c : order) {
      if (static_cast<int64_t>(chosen.size()) >= step.beam) return;
      if (!taken[c]) take(c);
    }
  }

  void write() {
    const int64_t width = 3 + step.chains;
    for (int64_t k = 0; k < step.beam; ++k) {
      const int64_t slot = first_slot + k;
      const Candidate &one = candidates[chosen[k]];
      step.index[slot] = chosen[k];
      step.going_scores[slot] = one.rank == NEVER ? NEVER : one.score;
      step.going_rows[slot] = one.row;
      step.going_tokens[slot] = one.token;
      int64_t *packed = step.new_packed + slot * width;
      packed[0] = one.after.node;
      packed[1] = one.after.met;
      packed[2] = one.after.effective;
      std::copy_n(ages.data() + chosen[k] * step.chains, step.chains, packed + 3);
      step.new_num_tokens[2 * slot] = one.after.num_complete;
      step.new_num_tokens[2 * slot + 1] = one.after.num_met;
      if (biased()) step.new_scorer_bias[slot] = step.scorer_bias[first_slot + one.row] + one.bias;
      step.new_costs[slot] = one.logprob;
      step.new_nearer[slot] = one.nearer ? 1.0f : 0.0f;
    }
  }

  struct Bank {
    float number;
    int64_t depth;
  };
  struct Turn {
    int64_t depth;
    float bank;
    int64_t candidate;
  };

  BankStep &step;
  const int64_t b;
  const Tracker tracker;
  const int64_t num_serving, first_row, first_slot;
  const float length;

  static thread_local std::vector<Candidate> candidates;
  static thread_local std::vector<float> due, together, ending, with_refund;
  static thread_local std::vector<int64_t> ages, order, by_rank, best, chosen;
  static thread_local std::vector<char> dropped, taken;
  static thread_local std::vector<Bank> depths;
  static thread_local std::vector<Turn> turns;
};

thread_local std::vector<Candidate> Selection::candidates;
thread_local std::vector<float> Selection::due, Selection::together, Selection::ending, Selection::with_refund;
thread_local std::vector<int64_t> Selection::ages, Selection::order, Selection::by_rank, Selection::best;
thread_local std::vector<int64_t> Selection::chosen;
thread_local std::vector<char> Selection::dropped, Selection::taken;
thread_local std::vector<Selection::Bank> Selection::depths;
thread_local std::vector<Selection::Turn> Selection::turns;

void prepare_sentence(BankStep &step, int64_t b) {
  const Tracker tracker(step, b);
  const float total = step.total[b], left = static_cast<float>(step.limits[b] - step.clock[0] - 1);
  step.num_needed[b] = total - left + 1.0f;
  for (int64_t row = 0; row < step.rows; ++row) {
    const int64_t at = b * step.rows + row, slot = b * step.beam + row;
    const int64_t *state = step.packed + slot * (3 + step.chains);
    const int64_t *moves = step.table + state[0] * 4 * step.moves;
    const float complete = step.num_tokens[2 * slot], met = step.num_tokens[2 * slot + 1];
    for (int64_t m = 0; m < step.moves; ++m) {
      const int64_t token = std::max<int64_t>(moves[m], 0), place = at * step.moves + m;
      const int64_t served = tracker.wanted(tracker.settle(state[1], state[2], token)) & moves[2 * step.moves + m];
      step.served[place] = served;
      step.continued[place] = served & moves[3 * step.moves + m];
      step.tokens[place] = served ? token : step.eos_id;
    }
    step.unfinished[at] = state[2] != step.everything[b];
    step.just_met[at] = state[1] != state[2];
    step.is_begun[at] = met > complete;
    step.urgent[at] = met > complete || total - complete >= left;
    step.finish_priority[at] = 2.0f * met + 1.0f;
    step.num_met[at] = met;
  }
}

// What ends says of what is still to be paid.
void see_ends(BankStep &step, int64_t b) {
  const float length = static_cast<float>(step.clock[0] + 1), norm = rounded_power(length, step.length_penalty);
  float ended = NEVER, best = NEVER;
  for (int64_t row = 0; row < step.rows; ++row) {
    const int64_t at = b * step.rows + row;
    if (step.may_end[at]) ended = std::max(ended, step.costs[b * step.beam + row]);
    best = std::max(best, step.end_scores[at] / norm);
  }
  step.cheapest[b] = std::max(step.cheapest[b], ended);
  if (best > step.end[b]) step.end_length[b] = length;
  step.end[b] = std::max(step.end[b], best);
}

float expected_cost(const BankStep &step, int64_t b, int64_t slot) {
  const float costs = step.costs[slot], missing = std::max(step.total[b] - step.num_tokens[2 * slot + 1], 0.0f);
  const float length = static_cast<float>(step.clock[0] + 2), norm = rounded_power(length, step.length_penalty);
  const float expected = costs + missing * (step.least[b] == NEVER ? 0.0f : step.least[b]);
  const bool past = length >= PAST * step.end_length[b] && step.going_scores[slot] / norm <= step.end[b] &&
                    missing > 0.0f && step.cheapest[b] > NEVER;
  return past ? std::min(expected, step.cheapest[b]) : expected;
}

void commit_sentence(BankStep &step, int64_t b) {
  static thread_local std::vector<float> before, mass;
  const int64_t first = b * step.beam, width = 3 + step.chains, size = step.beam * step.source;
  if (step.expecting) see_ends(step, b);
  before.assign(step.costs + first, step.costs + first + step.beam);
  before.insert(before.end(), step.num_costly + first, step.num_costly + first + step.beam);
  if (step.mass) mass.assign(step.mass + first * step.source, step.mass + first * step.source + size);
  std::copy_n(step.new_packed + first * width, step.beam * width, step.packed + first * width);
  std::copy_n(step.new_num_tokens + 2 * first, 2 * step.beam, step.num_tokens + 2 * first);
  float least = NEVER;
  for (int64_t k = 0; k < step.beam; ++k) {
    const int64_t slot = first + k, row = step.going_rows[slot];
    step.costs[slot] = before[row] + step.new_costs[slot];
    step.num_costly[slot] = before[step.beam + row] + step.new_nearer[slot];
    float most = step.most_bonus[b];
    if (step.scorer) {
      step.scorer_bias[slot] = step.bias[slot] = step.new_scorer_bias[slot];
      most += step.scorer_bias[slot];
    }
    step.bound_bias[slot] = step.average_costs ? most : most - step.costs[slot];
    const float met = step.num_tokens[2 * slot + 1];
    if (step.going_scores[slot] > NEVER && met > 0.0f)
      least = std::max(least, step.costs[slot] / std::max(met, 1.0f));
    if (step.rank_bonus) {
      const float costs = step.without_source[b] ? step.costs[slot] : 0.0f;
      step.rank_bonus[slot] =
          std::min(static_cast<float>(step.advantage) * met, static_cast<float>(-step.refunded) * costs);
    }
    if (step.mass) {
      const float *past = mass.data() + row * step.source;
      const bool aligned = step.index[slot] < step.num_free;
      const float *now = step.alignments +
                         ((b * (step.rows * step.num_best + step.num_free)) + step.rows * step.num_best +
                          step.index[slot]) * step.source;
      for (int64_t s = 0; s < step.source; ++s)
        step.mass[slot * step.source + s] = past[s] + (aligned ? now[s] : 0.0f);
    }
  }
  if (step.average_costs) return;
  if (step.expecting) step.least[b] = std::max(step.least[b], least);
  for (int64_t k = 0; k < step.beam; ++k) {
    const int64_t slot = first + k;
    const float paid = step.expecting ? expected_cost(step, b, slot) : step.costs[slot];
    step.bound_constant[slot] = paid / step.source_norm[b];
  }
}

}  // namespace

extern "C" {

int64_t size_of_bank_step() { return sizeof(BankStep); }

void prepare_banks(BankStep *step) {
  for (int64_t b = 0; b < step->batch; ++b) prepare_sentence(*step, b);
}

void select_by_banks(BankStep *step) {
  for (int64_t b = 0; b < step->batch; ++b) Selection(*step, b).run();
}

void commit_banks(BankStep *step) {
  for (int64_t b = 0; b < step->batch; ++b) commit_sentence(*step, b);
}
}
