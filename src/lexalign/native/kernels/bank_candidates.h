// The candidates of a sentence in a step of a search by banks, and what they are ranked by: `_pool`, `_bias` and
// `_reserve` of `policies/vdba.py`, and the scorers of `policies/align_vdba.py` and `policies/guided.py`.
#pragma once

#include "bank_tracker.h"

namespace {

constexpr float LEAST_LOG_PROBABILITY = -50.0f, LEAST_DUE = 1e-4f, LEAST_MASS = 1e-12f, MOST_EXCLUDED = 0.99f;

struct Candidate {
  float score, bias, rank, logprob;
  int64_t row, token;
  bool may_serve, nearer;
  Reached after;
};

// The memory that a sentence needs for a while.
struct CandidateRoom {
  Candidate *candidates;
  int64_t *ages;
  float *due, *together;  // by row and constraint

  SHARED_CODE CandidateRoom(const BankStep &step, int64_t count, Room &room) {
    const int64_t weighed = step.scorer == GUIDED_SCORER ? step.rows * step.constraints : 0;
    candidates = room.take<Candidate>(count);
    ages = room.take<int64_t>(count * step.chains);
    due = room.take<float>(weighed);
    together = room.take<float>(2 * weighed);
  }
};

template <typename Team>
class CandidateList {
 public:
  SHARED_CODE CandidateList(const BankStep &step, int64_t sentence, Team team, Room &room)
      : step(step),
        b(sentence),
        count(step.num_free + step.rows * step.moves),
        first_row(sentence * step.rows),
        first_slot(sentence * step.beam),
        team(team),
        tracker(step, sentence),
        own(step, count, room) {}

  SHARED_CODE void run() {
    if (step.scorer == GUIDED_SCORER)
      team.each(step.rows * step.constraints, [&](int64_t i) { weigh(i / step.constraints, i % step.constraints); });
    team.each(count, [&](int64_t c) {
      if (c < step.num_free) list_free(c);
      else list_serving(c, (c - step.num_free) / step.moves, (c - step.num_free) % step.moves);
      own.candidates[c].rank = own.candidates[c].score + own.candidates[c].bias;
    });
    team.each(step.joint ? step.num_free : count, [&](int64_t c) {
      if (is_repeated(c)) own.candidates[c].score = NEVER;
    });
    team.each(count, [&](int64_t c) { follow(c); });
  }

 private:
  SHARED_CODE float hypothesis(int64_t row) const { return step.hypotheses[b * step.hypothesis_stride + row]; }

  // The mass of a pair on each constraint's source, and behind them on any.
  SHARED_CODE const float *masses(int64_t pair) const {
    return step.sums + b * step.sum_stride + pair * step.pair_stride;
  }

  SHARED_CODE bool is_in_word(int64_t token) const { return step.continues_word && step.continues_word[token]; }

  SHARED_CODE bool biased() const { return step.scorer != NO_SCORER; }

  SHARED_CODE void list_free(int64_t c) {
    const int64_t at = b * step.num_free + c;
    Candidate &one = own.candidates[c];
    one.score = step.free_scores[at];
    one.row = step.free_rows[at];
    one.token = step.free_tokens[at];
    one.bias = step.scorer == GUIDED_SCORER ? free_bias(one, c) : 0.0f;
    one.may_serve = !step.joint;
  }

  SHARED_CODE float free_bias(const Candidate &one, int64_t c) const {
    const float mass = masses(step.rows * step.num_best + c)[step.constraints];
    const float kept = 1.0f - between(mass, 0.0f, MOST_EXCLUDED);
    const float added = rounded_log(kept) / static_cast<float>(step.temperature);
    const int64_t row = first_row + one.row;
    const bool broken = step.is_begun[row] || (step.just_met[row] && is_in_word(one.token));
    return broken ? added - static_cast<float>(step.breaking) : added;
  }

  SHARED_CODE void list_serving(int64_t c, int64_t row, int64_t m) {
    const int64_t at = (first_row + row) * step.moves + m;
    Candidate &one = own.candidates[c];
    one.score = step.serving[at] + hypothesis(row);
    one.row = row;
    one.token = step.tokens[at];
    one.may_serve = true;
    one.bias = 0.0f;
    if (step.scorer == ALIGNMENT_SCORER) one.bias = alignment_bias(row, m);
    if (step.scorer == GUIDED_SCORER) one.bias = guided_bias(row, m);
    if (biased() && !is_tried(row, m, one.bias)) one.score = NEVER;
  }

  SHARED_CODE bool is_tried(int64_t row, int64_t m, float bias) const {
    const int64_t at = first_row + row;
    if (!step.served[at * step.moves + m]) return false;
    if (!step.thresholded || bias >= static_cast<float>(step.threshold)) return true;
    return step.urgent[at] || step.end_scores[at] >= step.best_scores[at * step.num_best];
  }

  SHARED_CODE float alignment_bias(int64_t row, int64_t m) const {
    const int64_t pair = row * step.moves + m, served = step.served[first_row * step.moves + pair];
    const float *mass = masses(pair), *anywhere = step.anywhere + b * step.constraints;
    float best = 0.0f;
    for (int64_t g = 0; g < step.constraints; ++g)
      if (served >> g & 1) best = greater_of(best, mass[g] + anywhere[g]);
    return rounded_log(between(best, LEAST_MASS, 1.0f)) / static_cast<float>(step.temperature);
  }

  // For one row and constraint: how far its source is due, and what the tokens for it have together.
  SHARED_CODE void weigh(int64_t row, int64_t g) {
    const int64_t at = (first_row + row) * step.moves, best = (first_row + row) * step.num_best;
    const int64_t place = row * step.constraints + g;
    const bool at_boundary = step.at_boundary[first_row + row];
    double at_word = 0.0;
    for (int64_t n = 0; n < step.num_best; ++n)
      if (at_boundary || !is_in_word(step.best_tokens[best + n]))
        at_word += masses(row * step.num_best + n)[g] * step.shares[best + n];
    own.due[place] = rounded_log(between(static_cast<float>(at_word), LEAST_DUE, 1.0f));
    double first = 0.0, later = 0.0;
    const double least = exp(static_cast<double>(LEAST_LOG_PROBABILITY));
    for (int64_t m = 0; m < step.moves; ++m) {
      const bool serves = step.served[at + m] >> g & 1, continues = step.continued[at + m] >> g & 1;
      const double own = serves ? exp(static_cast<double>(log_probability(at + m))) : least;
      first += serves && !continues ? own : least;
      later += continues ? own : least;
    }
    own.together[2 * place] = static_cast<float>(log(first));
    own.together[2 * place + 1] = static_cast<float>(log(later));
  }

  SHARED_CODE float log_probability(int64_t at) const { return greater_of(step.serving[at], LEAST_LOG_PROBABILITY); }

  SHARED_CODE float guided_bias(int64_t row, int64_t m) const {
    const int64_t at = (first_row + row) * step.moves + m, served = step.served[at];
    if (!served) return 0.0f;
    const float alone = log_probability(at), *anywhere = step.anywhere + b * step.constraints;
    const float *due = own.due + row * step.constraints, *together = own.together + 2 * row * step.constraints;
    const bool in_word = is_in_word(step.tokens[at]), begun = step.is_begun[first_row + row];
    const bool at_boundary = step.at_boundary[first_row + row];
    float best = NEVER;
    for (int64_t g = 0; g < step.constraints; ++g) {
      if (!(served >> g & 1)) continue;
      float ours = alone;
      if (anywhere[g] == 0.0f) {
        const float place = static_cast<float>(step.sharpness) * due[g];
        if (step.continued[at] >> g & 1) {
          const float share = alone - together[2 * g + 1];
          ours = begun ? (at_boundary ? place + share : share) : alone;
        } else {
          ours = in_word ? alone : place + (alone - together[2 * g]);
          if (step.tokens[at] == step.boundary_id) ours = alone - static_cast<float>(step.boundary_cost);
          if (begun) ours -= static_cast<float>(step.breaking);
        }
      }
      best = greater_of(best, ours);
    }
    return best - alone;
  }

  // Whether the same is listed before; or, where what serves is listed apart, there and no worse.
  SHARED_CODE bool is_repeated(int64_t c) const {
    const Candidate &one = own.candidates[c];
    if (one.token == step.eos_id) return true;
    const int64_t known = step.joint ? count : lesser_of(c, step.num_free);
    for (int64_t other = 0; other < known; ++other) {
      const Candidate &rival = own.candidates[other];
      if (rival.row != one.row || rival.token != one.token) continue;
      const bool first = other < c || (step.joint && other >= step.num_free);
      if (first && (!step.joint || one.rank <= rival.rank)) return true;
    }
    return false;
  }

  SHARED_CODE void follow(int64_t c) {
    Candidate &one = own.candidates[c];
    const int64_t *before = step.packed + (first_slot + one.row) * (3 + step.chains);
    one.after = tracker.follow(before, one.token, one.may_serve, own.ages + c * step.chains);
    one.rank = biased() ? one.score + (step.scorer_bias[first_slot + one.row] + one.bias) : one.score;
    one.nearer = one.after.num_met > step.num_met[first_row + one.row];
    one.logprob = one.score > NEVER ? one.score - hypothesis(one.row) : 0.0f;
    if (biased()) one.logprob += one.bias;
    if (!one.nearer) one.logprob = 0.0f;
  }

  const BankStep &step;

 public:
  const int64_t b, count, first_row, first_slot;

 private:
  const Team team;
  const Tracker tracker;

 public:
  const CandidateRoom own;
};

}  // namespace
