// Vectors of 16 floats, and sums in the order in which torch's own kernels take them.
#pragma once

#include <immintrin.h>

#include <cstdint>

using Vector = __m512;
using VectorFunction = Vector (*)(Vector);
using DoubleFunction = __m512d (*)(__m512d);

constexpr int64_t LANES = 16;

// Torch's exponential and logarithm, so that a softmax here has the bits of a softmax there.
extern VectorFunction exponential, logarithm;
extern DoubleFunction double_logarithm;

inline __mmask16 first_lanes(int64_t count) {
  if (count <= 0) return 0;
  return count >= LANES ? 0xffff : static_cast<__mmask16>((1u << count) - 1);
}

// A logarithm by way of float64, as `kernel_shapes.steady_log`.
inline Vector steady_logarithm(Vector x) {
  const __m256 low = _mm512_castps512_ps256(x), high = _mm512_extractf32x8_ps(x, 1);
  const __m256 first = _mm512_cvtpd_ps(double_logarithm(_mm512_cvtps_pd(low)));
  const __m256 second = _mm512_cvtpd_ps(double_logarithm(_mm512_cvtps_pd(high)));
  return _mm512_insertf32x8(_mm512_castps256_ps512(first), second, 1);
}

// All lanes taken together: halves, quarters, pairs, neighbours.
template <typename Operation>
inline float over_lanes(Vector v, Operation operation) {
  v = operation(v, _mm512_shuffle_f32x4(v, v, 0x4E));
  v = operation(v, _mm512_shuffle_f32x4(v, v, 0xB1));
  v = operation(v, _mm512_shuffle_ps(v, v, 0x4E));
  v = operation(v, _mm512_shuffle_ps(v, v, 0xB1));
  return _mm512_cvtss_f32(v);
}

inline float sum_of_lanes(Vector v) {
  return over_lanes(v, [](Vector a, Vector b) { return _mm512_add_ps(a, b); });
}

inline float max_of_lanes(Vector v) {
  return over_lanes(v, [](Vector a, Vector b) { return _mm512_max_ps(a, b); });
}
