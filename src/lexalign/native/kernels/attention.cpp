#include "attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vectors.h"

namespace {

constexpr int64_t SUM_BLOCK = 192;  // positions that torch's product sums in one sequence
constexpr int MAX_VECTORS = 8;      // of a head that are summed at a time

// 16 rows of 16 floats, with rows and columns exchanged.
inline __attribute__((always_inline)) void transpose(Vector (&rows)[LANES]) {
  Vector pairs[LANES], fours[LANES];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i++) {
    pairs[2 * i] = _mm512_unpacklo_ps(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm512_unpackhi_ps(rows[2 * i], rows[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++)
#pragma GCC unroll 2
    for (int j = 0; j < 2; j++) {
      const __m512d low = _mm512_castps_pd(pairs[4 * i + j]), high = _mm512_castps_pd(pairs[4 * i + 2 + j]);
      fours[4 * i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
      fours[4 * i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
    }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    const Vector a = _mm512_shuffle_f32x4(fours[i], fours[4 + i], 0x88);
    const Vector b = _mm512_shuffle_f32x4(fours[i], fours[4 + i], 0xDD);
    const Vector c = _mm512_shuffle_f32x4(fours[8 + i], fours[12 + i], 0x88);
    const Vector d = _mm512_shuffle_f32x4(fours[8 + i], fours[12 + i], 0xDD);
    rows[i] = _mm512_shuffle_f32x4(a, c, 0x88);
    rows[4 + i] = _mm512_shuffle_f32x4(b, d, 0x88);
    rows[8 + i] = _mm512_shuffle_f32x4(a, c, 0xDD);
    rows[12 + i] = _mm512_shuffle_f32x4(b, d, 0xDD);
  }
}

// The keys of up to 16 positions as columns (size, 16).
void turn_keys(const float* keys, int64_t stride, int64_t count, int64_t size, float* columns) {
  for (int64_t first = 0; first < size; first += LANES) {
    Vector rows[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++)
      rows[i] = i < count ? _mm512_loadu_ps(keys + i * stride + first) : _mm512_setzero_ps();
    transpose(rows);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) _mm512_storeu_ps(columns + (first + i) * LANES, rows[i]);
  }
}

template <int ROWS>
void dots(const Head& head, int64_t row, const float* columns, int64_t group, float* scores, int64_t stride) {
  Vector sum[ROWS];
  const float* query = head.query + row * head.query_stride;
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; r++) sum[r] = _mm512_setzero_ps();
  for (int64_t term = 0; term < head.size; term++) {
    const Vector keys = _mm512_loadu_ps(columns + term * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
      sum[r] = _mm512_fmadd_ps(_mm512_set1_ps(query[r * head.query_stride + term]), keys, sum[r]);
  }
#pragma GCC unroll 8
  for (int r = 0; r < ROWS; r++) _mm512_storeu_ps(scores + (row + r) * stride + group * LANES, sum[r]);
}

// Products of all rows with the keys of every group that some row sees.
void score(const Head& head, float* scores, int64_t stride) {
  const int64_t groups = num_groups(head.span);
  for (int64_t group = 0; group < groups; group++) {
    uint16_t seen = 0;
    for (int64_t row = 0; row < head.rows; row++) seen |= head.visible[row * head.visible_stride + group];
    if (!seen) continue;
    const float* columns = head.keys + group * LANES * head.size;
    int64_t row = 0;
    for (; row + 5 <= head.rows; row += 5) dots<5>(head, row, columns, group, scores, stride);
    for (; row + 2 <= head.rows; row += 2) dots<2>(head, row, columns, group, scores, stride);
    if (row < head.rows) dots<1>(head, row, columns, group, scores, stride);
  }
}

template <int VECTORS>
void mix_part(const Head& head, const float* weights, const uint16_t* visible, int64_t first, float* out) {
  const int64_t groups = num_groups(head.span), block = SUM_BLOCK / LANES;
  Vector total[VECTORS];
  for (int64_t start = 0; start < groups; start += block) {
    Vector sum[VECTORS];
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) sum[v] = _mm512_setzero_ps();
    for (int64_t group = start; group < std::min(start + block, groups); group++)
      for (unsigned left = visible[group]; left; left &= left - 1) {
        const int64_t position = group * LANES + __builtin_ctz(left);
        const float* values = head.values + position * head.value_stride + first;
        const Vector weight = _mm512_set1_ps(weights[position]);
#pragma GCC unroll 8
        for (int v = 0; v < VECTORS; v++)
          sum[v] = _mm512_fmadd_ps(weight, _mm512_loadu_ps(values + v * LANES), sum[v]);
      }
#pragma GCC unroll 8
    for (int v = 0; v < VECTORS; v++) total[v] = start ? _mm512_add_ps(total[v], sum[v]) : sum[v];
  }
#pragma GCC unroll 8
  for (int v = 0; v < VECTORS; v++) _mm512_storeu_ps(out + first + v * LANES, total[v]);
}

// The values of one row, weighted and summed.
void mix(const Head& head, const float* weights, const uint16_t* visible, float* out) {
  for (int64_t first = 0, vectors; first < head.size; first += vectors * LANES) {
    vectors = std::min<int64_t>(MAX_VECTORS, (head.size - first) / LANES);
    switch (vectors) {
      case 8: mix_part<8>(head, weights, visible, first, out); break;
      case 7: mix_part<7>(head, weights, visible, first, out); break;
      case 6: mix_part<6>(head, weights, visible, first, out); break;
      case 5: mix_part<5>(head, weights, visible, first, out); break;
      case 4: mix_part<4>(head, weights, visible, first, out); break;
      case 3: mix_part<3>(head, weights, visible, first, out); break;
      case 2: mix_part<2>(head, weights, visible, first, out); break;
      default: mix_part<1>(head, weights, visible, first, out);
    }
  }
}

}  // namespace

void softmax(float* scores, const uint16_t* visible, int64_t groups) {
  const Vector never = _mm512_set1_ps(-INFINITY);
  Vector most = never, sum = _mm512_setzero_ps();
  for (int64_t g = 0; g < groups; g++)
    most = _mm512_max_ps(most, _mm512_mask_loadu_ps(never, visible[g], scores + g * LANES));
  const Vector largest = _mm512_set1_ps(max_of_lanes(most));
  for (int64_t g = 0; g < groups; g++) {
    Vector value = _mm512_setzero_ps();
    if (visible[g])
      value = _mm512_maskz_mov_ps(
          visible[g], exponential(_mm512_sub_ps(_mm512_loadu_ps(scores + g * LANES), largest)));
    _mm512_storeu_ps(scores + g * LANES, value);
    sum = _mm512_add_ps(sum, value);
  }
  const Vector inverse = _mm512_set1_ps(1.0f / sum_of_lanes(sum));
  for (int64_t g = 0; g < groups; g++)
    if (visible[g])
      _mm512_storeu_ps(scores + g * LANES, _mm512_mul_ps(_mm512_loadu_ps(scores + g * LANES), inverse));
}

int64_t num_groups(int64_t span) { return (span + LANES - 1) / LANES; }

void attend(const Head& head) {
  static thread_local std::vector<float> scores;
  const int64_t groups = num_groups(head.span), stride = groups * LANES;
  scores.resize(std::max<size_t>(scores.size(), head.rows * stride));
  score(head, scores.data(), stride);
  for (int64_t row = 0; row < head.rows; row++) {
    float* weights = scores.data() + row * stride;
    const uint16_t* visible = head.visible + row * head.visible_stride;
    softmax(weights, visible, groups);
    mix(head, weights, visible, head.out + row * head.out_stride);
    if (head.weights) std::copy_n(weights, head.num_weights, head.weights + row * head.weights_stride);
  }
}

void pack_keys(const float* rows, int64_t stride, int64_t count, int64_t size, float* keys) {
  for (int64_t first = 0; first < count; first += LANES)
    turn_keys(rows + first * stride, stride, std::min(LANES, count - first), size, keys + first * size);
}
