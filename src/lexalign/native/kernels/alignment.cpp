// Where pairs of a hypothesis and a token come from: the attention of an alignment head, averaged over its
// heads, with the bits of `LearnedAligner`'s own operations. A pair that is asked for twice is computed once.
#include <algorithm>
#include <cmath>
#include <vector>

#include "attention.h"
#include "vectors.h"

namespace {

struct Pairs {
  int64_t batch, rows, pairs, heads, size, source, groups;
  double temperature;
  const float *states;  // (batch, rows, heads * size)
  const int64_t *row, *token;  // (batch, pairs)
  const float *token_queries;  // (V, heads * size), or null
  const float *columns;  // (batch, heads, size, groups * 16): keys, a column for every source position
  const bool *mask;  // (batch, source)
  float *out;  // (batch, pairs, source)
};

constexpr int64_t BLOCK = 8;        // queries that share a pass over the keys
constexpr int64_t SUM_BLOCK = 192;  // places that torch's product sums in one sequence

// Products of queries with the keys of 16 positions.
template <int QUERIES>
void dots(const float *queries, int64_t width, const float *columns, int64_t size, int64_t stride, float *scores) {
  Vector sum[QUERIES];
#pragma GCC unroll 8
  for (int q = 0; q < QUERIES; q++) sum[q] = _mm512_setzero_ps();
  for (int64_t term = 0; term < size; term++) {
    const Vector keys = _mm512_loadu_ps(columns + term * stride);
#pragma GCC unroll 8
    for (int q = 0; q < QUERIES; q++)
      sum[q] = _mm512_fmadd_ps(_mm512_set1_ps(queries[q * width + term]), keys, sum[q]);
  }
#pragma GCC unroll 8
  for (int q = 0; q < QUERIES; q++) _mm512_storeu_ps(scores + q * stride, sum[q]);
}

class Sentence {
 public:
  Sentence(const Pairs &pairs, int64_t b)
      : pairs(pairs), b(b), width(pairs.heads * pairs.size), stride(pairs.groups * LANES) {
    visible.assign(pairs.groups, 0);
    for (int64_t s = 0; s < pairs.source; s++)
      if (pairs.mask[b * pairs.source + s]) visible[s / LANES] |= 1u << (s % LANES);
    queries.resize(BLOCK * width);
    means.resize(BLOCK * stride);
    scores.resize(BLOCK * stride);
  }

  void run() {
    find_different();
    for (size_t first = 0; first < different.size(); first += BLOCK)
      align(different.data() + first, std::min<int64_t>(BLOCK, different.size() - first));
    for (int64_t p = 0; p < pairs.pairs; p++)
      if (same_as[p] != p) std::copy_n(out(same_as[p]), pairs.source, out(p));
  }

 private:
  float *out(int64_t p) const { return pairs.out + (b * pairs.pairs + p) * pairs.source; }

  void find_different() {
    const int64_t *row = pairs.row + b * pairs.pairs, *token = pairs.token + b * pairs.pairs;
    different.clear();
    same_as.resize(pairs.pairs);
    for (int64_t p = 0; p < pairs.pairs; p++) {
      const auto found = std::find_if(different.begin(), different.end(), [&](int64_t other) {
        return row[other] == row[p] && (token[other] == token[p] || !pairs.token_queries);
      });
      same_as[p] = found == different.end() ? p : *found;
      if (found == different.end()) different.push_back(p);
    }
  }

  void align(const int64_t *block, int64_t count) {
    for (int64_t i = 0; i < count; i++) ask(block[i], queries.data() + i * width);
    attend(count);
    for (int64_t i = 0; i < count; i++) {
      float *mean = means.data() + i * stride;
      if (pairs.temperature != 1.0) sharpen(mean);
      std::copy_n(mean, pairs.source, out(block[i]));
    }
  }

  void ask(int64_t p, float *query) const {
    const int64_t row = pairs.row[b * pairs.pairs + p], token = pairs.token[b * pairs.pairs + p];
    std::copy_n(pairs.states + (b * pairs.rows + row) * width, width, query);
    if (!pairs.token_queries) return;
    const float *added = pairs.token_queries + token * width;
    for (int64_t i = 0; i < width; i++) query[i] += added[i];
  }

  void attend(int64_t count) {
    for (int64_t head = 0; head < pairs.heads; head++) {
      float *found = head ? scores.data() : means.data();
      score(head, count, found);
      for (int64_t i = 0; i < count; i++) softmax(found + i * stride, visible.data(), pairs.groups);
      if (head)
        for (int64_t i = 0; i < count * stride; i++) means[i] += scores[i];
    }
    for (int64_t i = 0; i < count * stride; i++) means[i] /= static_cast<float>(pairs.heads);
  }

  void score(int64_t head, int64_t count, float *found) const {
    const float *columns = pairs.columns + (b * pairs.heads + head) * pairs.size * stride;
    const float *query = queries.data() + head * pairs.size;
    for (int64_t first = 0; first < stride; first += LANES) switch (count) {
#define CASE(QUERIES) \
  case QUERIES: dots<QUERIES>(query, width, columns + first, pairs.size, stride, found + first); break
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
#undef CASE
      }
  }

  // To the power 1 / temperature, normalised again.
  void sharpen(float *mean) const {
    const Vector temperature = _mm512_set1_ps(static_cast<float>(pairs.temperature));
    for (int64_t g = 0; g < pairs.groups; g++) {
      const Vector logs = steady_logarithm(_mm512_loadu_ps(mean + g * LANES));
      _mm512_storeu_ps(mean + g * LANES, _mm512_div_ps(logs, temperature));
    }
    softmax(mean, visible.data(), pairs.groups);
  }

  const Pairs &pairs;
  const int64_t b, width, stride;
  static thread_local std::vector<uint16_t> visible;
  static thread_local std::vector<float> queries, means, scores;
  static thread_local std::vector<int64_t> different, same_as;
};

thread_local std::vector<uint16_t> Sentence::visible;
thread_local std::vector<float> Sentence::queries, Sentence::means, Sentence::scores;
thread_local std::vector<int64_t> Sentence::different, Sentence::same_as;

}  // namespace

extern "C" {

void align_pairs(const Pairs *pairs) {
  for (int64_t b = 0; b < pairs->batch; b++) Sentence(*pairs, b).run();
}

// What distributions (batch, pairs, source) have in each of the first `count` spans (batch, places, width) of 0 and
// 1, summed in the blocks in which torch's product sums.
void sum_spans(int64_t batch, int64_t pairs, int64_t source, int64_t places, int64_t width, int64_t count,
               const float *found, const float *spans, float *sums) {
  for (int64_t b = 0; b < batch; b++, spans += places * width)
    for (int64_t p = 0; p < pairs; p++, found += source, sums += count)
      for (int64_t first = 0; first < count; first += LANES) {
        Vector total = _mm512_setzero_ps();
        for (int64_t start = 0; start < source; start += SUM_BLOCK) {
          Vector sum = _mm512_setzero_ps();
          for (int64_t s = start; s < std::min(start + SUM_BLOCK, source); s++) {
            const Vector span = _mm512_maskz_loadu_ps(first_lanes(width - first), spans + s * width + first);
            sum = _mm512_fmadd_ps(_mm512_set1_ps(found[s]), span, sum);
          }
          total = start ? _mm512_add_ps(total, sum) : sum;
        }
        _mm512_mask_storeu_ps(sums + first, first_lanes(count - first), total);
      }
}
}
