// Where pairs of a hypothesis and a token come from, on a GPU: what stands before and after the products of
// `LearnedAligner`, which torch computes. Products are in float32 or bfloat16, everything else in float32.
#pragma once

#include "team.h"

namespace {

struct PairStep {
  int64_t batch, rows, pairs, heads, size, source, per_block, per_row, is_half;
  double temperature;
  const void *states;  // (batch, rows, heads * size)
  const void *token_queries;  // (V, heads * size)
  const int64_t *row;  // (batch, pairs); null: every row has `per_row` pairs
  const int64_t *token;  // (batch, pairs)
  void *queries;  // (batch, heads, pairs, size)
  const void *scores;  // (batch, heads, pairs, source)
  const bool *mask;  // (batch, source)
  float *alignments;  // (batch, pairs, source)
};

constexpr float LOWEST_SCORE = -3.402823466e38f / 4;

struct Half {  // a bfloat16
  unsigned short bits;
};

SHARED_CODE float to_float(Half value) { return bits_to_float(static_cast<unsigned>(value.bits) << 16); }

SHARED_CODE float to_float(float value) { return value; }

SHARED_CODE void round_to(float value, float &rounded) { rounded = value; }

// To the nearest, of two the even one, as torch does; what is no number stays none.
SHARED_CODE void round_to(float value, Half &rounded) {
  const unsigned bits = float_to_bits(value);
  const unsigned up = bits + 0x7fffu + (bits >> 16 & 1u);
  rounded.bits = value == value ? static_cast<unsigned short>(up >> 16) : 0x7fc0;
}

template <typename Element>
struct alignas(16) Vector {
  static constexpr int64_t size = 16 / sizeof(Element);
  Element values[size];
};

// The query of one pair: of its hypothesis and of its token, added up, head by head.
template <typename Element, typename Team>
SHARED_CODE void ask_pair(const PairStep &step, int64_t part, Team team) {
  using Part = Vector<Element>;
  const int64_t b = part / step.pairs, p = part % step.pairs, width = step.heads * step.size;
  const int64_t row = step.row ? step.row[part] : p / step.per_row;
  const Part *state = static_cast<const Part *>(step.states) + (b * step.rows + row) * width / Part::size;
  const Part *token = static_cast<const Part *>(step.token_queries) + step.token[part] * width / Part::size;
  Part *queries = static_cast<Part *>(step.queries);
  team.each(width / Part::size, [&](int64_t i) {
    const int32_t column = static_cast<int32_t>(i * Part::size), size = static_cast<int32_t>(step.size);
    const int64_t head = column / size, within = column % size;
    const Part one = state[i], other = token[i];
    Part sum;
    for (int64_t j = 0; j < Part::size; ++j) round_to(to_float(one.values[j]) + to_float(other.values[j]), sum.values[j]);
    queries[(((b * step.heads + head) * step.pairs + p) * step.size + within) / Part::size] = sum;
  });
}

// A number as digits: places of 32 bits, because a GPU takes many steps to divide those of 64.
struct Digits {
  int32_t first, second, third;

  SHARED_CODE Digits(int64_t number, int64_t seconds, int64_t thirds) {
    const int32_t rest = static_cast<int32_t>(number) / static_cast<int32_t>(thirds);
    third = static_cast<int32_t>(number) - rest * static_cast<int32_t>(thirds);
    first = rest / static_cast<int32_t>(seconds);
    second = rest - first * static_cast<int32_t>(seconds);
  }
};

// The mean over heads of a softmax over the source, for some pairs of a sentence.
template <typename Element, typename Team>
SHARED_CODE void attend_pairs(const PairStep &step, int64_t part, Team team, Room &room) {
  const int64_t blocks = (step.pairs + step.per_block - 1) / step.per_block;
  const int64_t b = part / blocks, first = part % blocks * step.per_block, source = step.source, heads = step.heads;
  const int64_t count = lesser_of(step.per_block, step.pairs - first);
  // Of odd length, so that threads which go through rows side by side find them in different banks of memory.
  const int64_t stride = source | 1;
  float *shares = room.take<float>(step.per_block * heads * stride), *sums = room.take<float>(step.per_block * heads);
  const bool *mask = step.mask + b * source;
  float *out = step.alignments + (b * step.pairs + first) * source;
  const auto raise = [&](float *values, float *sum) {  // the exponentials of values, and their sum
    float most = values[0];
    for (int64_t s = 1; s < source; ++s) most = greater_of(most, values[s]);
    float total = 0.0f;
    for (int64_t s = 0; s < source; ++s) total += values[s] = expf(values[s] - most);
    *sum = total;
  };
  team.each(count * heads * source, [&](int64_t i) {
    const Digits of(i, heads, source);  // a pair, a head and a source token
    const int64_t at = ((b * heads + of.second) * step.pairs + first + of.first) * source + of.third;
    shares[(of.first * heads + of.second) * stride + of.third] = mask[of.third] ? to_float(static_cast<const Element *>(step.scores)[at]) : LOWEST_SCORE;
  });
  team.each(count * heads, [&](int64_t i) { raise(shares + i * stride, sums + i); });
  team.each(count * source, [&](int64_t i) {
    const Digits of(i, 1, source);
    const int64_t p = of.first, s = of.third;
    float mean = 0.0f;
    for (int64_t head = p * heads; head < (p + 1) * heads; ++head) mean += shares[head * stride + s] / sums[head];
    out[i] = mean / static_cast<float>(heads);
  });
  if (step.temperature == 1.0) return;
  const auto share = [&](int64_t i) { return shares + Digits(i, 1, source).first * stride + Digits(i, 1, source).third; };
  team.each(count * source, [&](int64_t i) { *share(i) = rounded_log(out[i]) / static_cast<float>(step.temperature); });
  team.each(count, [&](int64_t p) { raise(shares + p * stride, sums + p); });
  team.each(count * source, [&](int64_t i) { out[i] = *share(i) / sums[Digits(i, 1, source).first]; });
}

}  // namespace
