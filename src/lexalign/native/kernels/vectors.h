// Vectors of 16 floats, and sums in the order in which torch's own kernels take them.
#pragma once

#include <immintrin.h>

#include <cstdint>

using Vector = __m512;
using VectorFunction = Vector (*)(Vector);
using DoubleFunction = __m512d (*)(__m512d);

constexpr int64_t LANES = 16;

// Torch's logarithms, so that results here have the bits of results there.
extern VectorFunction logarithm;
extern DoubleFunction double_logarithm;

// The exponential as torch has it, by the algorithm of SLEEF (Shibata and Petrogalli 2020) with its coefficients, so
// that a softmax here has the bits of a softmax there. It is compared with torch's own when the library is loaded.
inline Vector exponential(Vector x) {
  const Vector times = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504088896340736f)),
                                            _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  Vector rest = _mm512_fmadd_ps(times, _mm512_set1_ps(-0.693145751953125f), x);
  rest = _mm512_fmadd_ps(times, _mm512_set1_ps(-1.428606765330187045e-06f), rest);
  Vector power = _mm512_set1_ps(0.000198527617612853646278381f);
  for (const float coefficient : {0.00139304355252534151077271f, 0.00833336077630519866943359f,
                                  0.0416664853692054748535156f, 0.166666671633720397949219f, 0.5f})
    power = _mm512_fmadd_ps(power, rest, _mm512_set1_ps(coefficient));
  power = _mm512_fmadd_ps(_mm512_mul_ps(rest, rest), power, rest);
  power = _mm512_scalef_ps(_mm512_add_ps(_mm512_set1_ps(1.0f), power), times);
  power = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, _mm512_set1_ps(-104.0f), _CMP_NLT_UQ), power);
  return _mm512_mask_mov_ps(power, _mm512_cmp_ps_mask(_mm512_set1_ps(100.0f), x, _CMP_LT_OQ),
                            _mm512_set1_ps(__builtin_inff()));
}

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
