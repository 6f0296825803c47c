// The continuations that a search considers, on a GPU: what `continuations.cpp` is for a CPU. A block looks at
// the log-probabilities of one hypothesis; then another puts together what was found for those of a sentence.
//
// Every thread finds the best of its share of the tokens. The best tokens of all lie with the threads that have
// found the best, so only these shares are looked at again:
//
//     4 threads, the best 2    7 1 3 0 | 2 6 5 1 | 4 4 2 3 | 0 1 0 2    (columns are dealt in fours)
//     the best of each         7       | 6       | 4       | 2
//     no less than the second  7       | 6                              both lie with the first two threads
#pragma once

#include "team.h"

namespace {

struct ListingStep {
  int64_t batch, rows, size, moves, num_best, num_top, num_kept, num_free, capacity, eos_id;
  int64_t hypothesis_stride, bias_stride, bonus_stride;
  const float *log_probabilities;  // (batch, rows, size)
  const float *hypotheses, *rank_bias, *rank_bonus;  // (batch, rows), with a stride; the last two may be null
  const bool *unfinished, *just_met;  // (batch, rows), or null
  const bool *continues_word;  // (size,), or null
  const bool *needs;  // (batch,), whether anything must be met
  const int64_t *tokens;  // (batch, rows, moves), which serve constraints

  float *kept_values;  // (batch, rows, num_kept), the best of each hypothesis
  int64_t *kept_columns;
  float *word_values;  // (batch, rows), the best token that continues a word, where these are set apart
  int64_t *word_columns;

  float *end_scores;  // (batch, rows)
  int64_t *best_tokens;  // (batch, rows, num_best)
  float *best_scores;
  float *free_scores;  // (batch, num_free): the best of all, other words, the best of each
  int64_t *free_rows, *free_tokens;
  float *serving;  // (batch, rows, moves)

  // Of plain search: who goes on (batch, beam), and which of the first `beam` end.
  int64_t beam;
  float *going_scores;
  int64_t *going_rows, *going_tokens;
  bool *ends;
};

constexpr int64_t FOUR = 4;

struct alignas(16) Four {
  float values[FOUR];
};

// A token and its log-probability as one number: the higher the better and, of equals, the first the better.
struct Found {
  unsigned long long key = 0;  // nothing

  Found() = default;

  SHARED_CODE Found(float value, int64_t column) {
    const unsigned bits = float_to_bits(value), ordered = bits & SIGN ? ~bits : bits | SIGN;
    key = static_cast<unsigned long long>(ordered) << 32 | ~static_cast<unsigned>(column);
  }

  SHARED_CODE bool is_better_than(const Found &other) const { return key > other.key; }

  SHARED_CODE float value() const {
    const unsigned ordered = static_cast<unsigned>(key >> 32);
    return bits_to_float(ordered & SIGN ? ordered ^ SIGN : ~ordered);
  }

  SHARED_CODE int64_t column() const { return ~static_cast<unsigned>(key); }

  static constexpr unsigned SIGN = 0x80000000u;
};

template <typename Team>
class RowScan {
 public:
  SHARED_CODE RowScan(const ListingStep &step, int64_t at, Team team, Room &room)
      : step(step),
        at(at),
        values(step.log_probabilities + at * step.size),
        apart(step.continues_word && step.just_met && step.just_met[at]),
        cannot_end(step.unfinished && step.unfinished[at]),
        team(team),
        num_fours((step.size + FOUR - 1) / FOUR),
        share((num_fours + team.size - 1) / team.size),
        best_of_thread(room.take<Found>(team.size)),
        word_of_thread(room.take<Found>(step.continues_word ? team.size : 0)),
        foremost(room.take<int32_t>(step.num_kept)),
        found(room.take<Found>(step.capacity)),
        num_found(room.take<int32_t>(1)) {}

  SHARED_CODE void run() {
    if (team.rank == 0) *num_found = 0;
    find_best_of_threads();
    find_foremost();
    collect();
    if (*num_found <= step.capacity) team.each(*num_found, [&](int64_t i) { place(i); });
    else find_one_by_one();
    if (apart) find_word();
  }

 private:
  SHARED_CODE void find_best_of_threads() {
    float best = NEVER, word = NEVER;
    int32_t best_column = 0, word_column = 0;
    const int32_t size = static_cast<int32_t>(step.size), together = static_cast<int32_t>(team.size * FOUR);
    for (int32_t first = static_cast<int32_t>(team.rank * FOUR); first < size; first += together) {
      const Four four = load(first);
      for (int32_t lane = 0; lane < FOUR; ++lane) {
        const float value = four.values[lane];
        if (apart && value > word && step.continues_word[first + lane]) word = value, word_column = first + lane;
        if (value > best && is_listed(first + lane)) best = value, best_column = first + lane;
      }
    }
    best_of_thread[team.rank] = best > NEVER ? Found(best, best_column) : Found();
    if (step.continues_word) word_of_thread[team.rank] = word > NEVER ? Found(word, word_column) : Found();
    for (int64_t n = team.rank; n < step.num_kept; n += team.size) {
      foremost[n] = -1;
      step.kept_values[at * step.num_kept + n] = NEVER;
      step.kept_columns[at * step.num_kept + n] = 0;
    }
    team.wait();
  }

  // Behind the last token there is nothing.
  SHARED_CODE Four load(int64_t first) const {
    if (step.size % FOUR == 0) return *reinterpret_cast<const Four *>(values + first);
    Four four;
    for (int64_t lane = 0; lane < FOUR; ++lane) four.values[lane] = first + lane < step.size ? values[first + lane] : NEVER;
    return four;
  }

  // Not an end of sentence where there may be none; where words are set apart, none of their tokens but those
  // that serve a constraint.
  SHARED_CODE bool is_listed(int64_t column) const {
    if (column == step.eos_id) return !cannot_end;
    if (!apart || !step.continues_word[column]) return true;
    for (int64_t m = 0; m < step.moves; ++m)
      if (step.tokens[at * step.moves + m] == column) return true;
    return false;
  }

  SHARED_CODE void find_foremost() {
    const Found mine = best_of_thread[team.rank];
    int64_t better = 0;
    for (int64_t other = 0; other < team.size; ++other) better += best_of_thread[other].is_better_than(mine);
    if (mine.key && better < step.num_kept) foremost[better] = static_cast<int32_t>(team.rank);
    team.wait();
  }

  SHARED_CODE void collect() {
    int64_t num_foremost = 0;
    while (num_foremost < step.num_kept && foremost[num_foremost] >= 0) ++num_foremost;
    // With fewer, all that they have.
    const bool all = num_foremost < step.num_kept;
    const Found least = all ? Found() : best_of_thread[foremost[num_foremost - 1]];
    team.each(num_foremost * share * FOUR, [&](int64_t i) {
      const int32_t of_thread = static_cast<int32_t>(share * FOUR), thread_index = static_cast<int32_t>(i) / of_thread;
      const int64_t thread = foremost[thread_index], within = i - thread_index * of_thread;
      const int64_t column = (thread + within / FOUR * team.size) * FOUR + within % FOUR;
      if (column >= step.size || !(values[column] > NEVER)) return;
      const Found one(values[column], column);
      if (least.is_better_than(one) || !is_listed(column)) return;
      const int32_t place = count_up(num_found);
      if (place < step.capacity) found[place] = one;
    });
  }

  SHARED_CODE void place(int64_t i) {
    int64_t better = 0;
    for (int32_t other = 0; other < *num_found; ++other) better += found[other].is_better_than(found[i]);
    if (better < step.num_kept) keep(better, found[i]);
  }

  SHARED_CODE void keep(int64_t place, const Found &one) {
    step.kept_values[at * step.num_kept + place] = one.value();
    step.kept_columns[at * step.num_kept + place] = one.column();
  }

  // Where more are alike than there is room for: the whole row again for every place.
  SHARED_CODE void find_one_by_one() {
    Found last;
    for (int64_t n = 0; n < step.num_kept; ++n) {
      Found best;
      for (int64_t column = team.rank; column < step.size; column += team.size) {
        if (!(values[column] > NEVER)) continue;
        const Found one(values[column], column);
        if (!one.is_better_than(best) || (n && !last.is_better_than(one))) continue;
        if (is_listed(column)) best = one;
      }
      best_of_thread[team.rank] = best;
      team.wait();
      for (int64_t other = 0; other < team.size; ++other)
        if (best_of_thread[other].is_better_than(best)) best = best_of_thread[other];
      team.wait();
      if (!best.key) return;
      if (team.rank == 0) keep(n, best);
      last = best;
    }
  }

  SHARED_CODE void find_word() {
    if (team.rank != 0) return;
    Found best;
    for (int64_t other = 0; other < team.size; ++other)
      if (word_of_thread[other].is_better_than(best)) best = word_of_thread[other];
    step.word_values[at] = best.key ? best.value() : NEVER;
    step.word_columns[at] = best.key ? best.column() : 0;
  }

  const ListingStep &step;
  const int64_t at;
  const float *values;
  const bool apart, cannot_end;
  const Team team;
  const int64_t num_fours, share;
  Found *best_of_thread, *word_of_thread;
  int32_t *foremost;
  Found *found;
  int32_t *num_found;
};

// What was found for the hypotheses of a sentence, put together.
template <typename Team>
class Merging {
 public:
  SHARED_CODE Merging(const ListingStep &step, int64_t b, Team team, Room &room)
      : step(step), b(b), count(step.rows * step.num_top), team(team), ranks(room.take<float>(count)) {}

  // For a search by banks, or by replacement.
  SHARED_CODE void list() {
    take_best();
    team.each(step.rows * step.moves, [&](int64_t i) {
      const int64_t place = b * step.rows * step.moves + i;
      step.serving[place] = value(i / step.moves, step.tokens[place]);
    });
    team.each(step.rows * step.num_best, [&](int64_t i) {
      const int64_t row = i / step.num_best, from = (b * step.rows + row) * step.num_kept + i % step.num_best;
      step.best_tokens[b * step.rows * step.num_best + i] = step.kept_columns[from];
      step.best_scores[b * step.rows * step.num_best + i] = step.kept_values[from] + score(row);
    });
    team.each(step.rows, [&](int64_t row) {
      score_end(row);
      list_row(row);
    });
  }

  // For plain search: the best that do not end go on.
  SHARED_CODE void select() {
    take_best();
    team.each(step.rows, [&](int64_t row) { score_end(row); });
    team.each(step.num_top, [&](int64_t place) {
      const bool ends = is_end(place);
      int64_t before = 0;
      for (int64_t other = 0; other < step.num_top; ++other)
        before += is_end(other) == ends ? other < place : ends;
      const int64_t slot = b * step.beam + before, from = b * step.num_free + place;
      if (place < step.beam) step.ends[b * step.beam + place] = ends;
      if (before >= step.beam) return;
      step.going_scores[slot] = ends ? NEVER : step.free_scores[from];
      step.going_rows[slot] = step.free_rows[from];
      step.going_tokens[slot] = step.free_tokens[from];
    });
  }

 private:
  SHARED_CODE float score(int64_t row) const { return step.hypotheses[b * step.hypothesis_stride + row]; }

  SHARED_CODE float rank(int64_t row) const {
    float bias = 0.0f;
    if (step.rank_bias) bias = step.rank_bias[b * step.bias_stride + row];
    if (step.rank_bonus) bias += step.rank_bonus[b * step.bonus_stride + row];
    return score(row) + bias;
  }

  SHARED_CODE float value(int64_t row, int64_t token) const {
    return step.log_probabilities[(b * step.rows + row) * step.size + token];
  }

  // Where the i-th of the best of all hypotheses stands.
  SHARED_CODE int64_t kept(int64_t i) const {
    return (b * step.rows + i / step.num_top) * step.num_kept + i % step.num_top;
  }

  SHARED_CODE bool is_end(int64_t place) const {
    return step.free_tokens[b * step.num_free + place] == step.eos_id;
  }

  SHARED_CODE void put(int64_t place, float score, int64_t row, int64_t token) const {
    step.free_scores[b * step.num_free + place] = score;
    step.free_rows[b * step.num_free + place] = row;
    step.free_tokens[b * step.num_free + place] = token;
  }

  SHARED_CODE void take_best() {
    for (int64_t place = team.rank; place < step.num_top; place += team.size) put(place, NEVER, 0, 0);
    team.each(count, [&](int64_t i) { ranks[i] = step.kept_values[kept(i)] + rank(i / step.num_top); });
    team.each(count, [&](int64_t i) {
      if (!(ranks[i] > NEVER)) return;
      int64_t better = 0;
      for (int64_t other = 0; other < count && better < step.num_top; ++other)
        better += ranks[other] > ranks[i] || (ranks[other] == ranks[i] && other < i);
      const int64_t row = i / step.num_top;
      if (better < step.num_top)
        put(better, step.kept_values[kept(i)] + score(row), row, step.kept_columns[kept(i)]);
    });
  }

  SHARED_CODE void score_end(int64_t row) const {
    step.end_scores[b * step.rows + row] = value(row, step.eos_id) + score(row);
  }

  // The best token of a hypothesis, and the best that makes its last word another.
  SHARED_CODE void list_row(int64_t row) const {
    const int64_t at = b * step.rows + row, first = at * step.num_kept;
    const int64_t words_at = step.num_top, best_at = step.num_free - step.rows;
    if (step.continues_word) {
      const bool apart = step.just_met && step.just_met[at];
      put(words_at + row, apart ? step.word_values[at] + score(row) : NEVER, row,
          apart ? step.word_columns[at] : step.eos_id);
    }
    put(best_at + row, step.kept_values[first] + score(row), row,
        step.needs[b] ? step.kept_columns[first] : step.eos_id);
  }

  const ListingStep &step;
  const int64_t b, count;
  const Team team;
  float *ranks;
};

}  // namespace
