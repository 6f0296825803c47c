#include "normalisation.h"

#include <algorithm>
#include <cmath>

#include "vectors.h"

namespace {

// Torch computes moments in vectors of 8, also on CPUs that have longer ones.
using Half = __m256;
constexpr int64_t HALF_LANES = 8;
constexpr int64_t CHUNK = 16;  // vectors whose moments are updated one by one
constexpr int MAX_DEPTH = 16;  // chunks are joined pairwise, as in a tree

// Count, mean and summed squares of deviations, in every lane (Welford; Chan et al. for joining).
struct Moments {
  int64_t count = 0;
  Half mean = _mm256_setzero_ps(), squares = _mm256_setzero_ps();

  void join(const Moments& other) {
    const int64_t both = count + other.count;
    const float share = both ? static_cast<float>(other.count) / static_cast<float>(both) : 0.0f;
    const Half delta = _mm256_sub_ps(other.mean, mean);
    const Half moved = _mm256_mul_ps(_mm256_set1_ps(share), delta);
    const Half weighted = _mm256_mul_ps(delta, _mm256_set1_ps(static_cast<float>(count)));
    squares = _mm256_fmadd_ps(weighted, moved, _mm256_add_ps(squares, other.squares));
    mean = _mm256_add_ps(mean, moved);
    count = both;
  }
};

Moments of_chunk(const float* x, int64_t vectors) {
  Moments found;
  for (int64_t i = 0; i < vectors; i++) {
    const Half value = _mm256_loadu_ps(x + i * HALF_LANES);
    const Half before = _mm256_sub_ps(value, found.mean);
    const Half share = _mm256_set1_ps(1.0f / static_cast<float>(i + 1));
    found.mean = _mm256_fmadd_ps(share, before, found.mean);
    found.squares = _mm256_fmadd_ps(before, _mm256_sub_ps(value, found.mean), found.squares);
  }
  found.count = vectors;
  return found;
}

Moments of_vectors(const float* x, int64_t vectors) {
  const int64_t chunks = (vectors + CHUNK - 1) / CHUNK;
  int depth = 0;
  while ((int64_t{1} << depth) < chunks) depth++;
  Moments levels[MAX_DEPTH];
  for (int64_t chunk = 0; chunk < chunks; chunk++) {
    levels[0].join(of_chunk(x + chunk * CHUNK * HALF_LANES, std::min(CHUNK, vectors - chunk * CHUNK)));
    int64_t full = chunk + 1;
    for (int level = 1; level < depth && full % 2 == 0; level++, full /= 2) {
      levels[level].join(levels[level - 1]);
      levels[level - 1] = Moments();
    }
  }
  for (int level = 1; level < depth; level++) levels[0].join(levels[level]);
  return levels[0];
}

void mean_and_variance(const float* x, int64_t width, float& mean, float& variance) {
  const Moments found = of_vectors(x, width / HALF_LANES);
  alignas(32) float means[HALF_LANES], squares[HALF_LANES];
  _mm256_store_ps(means, found.mean);
  _mm256_store_ps(squares, found.squares);
  mean = variance = 0;
  int64_t count = 0;
  for (int lane = 0; lane < HALF_LANES; lane++) {
    const int64_t both = count + found.count;
    const float share = static_cast<float>(found.count) / static_cast<float>(both);
    const float delta = means[lane] - mean;
    mean = std::fmaf(share, delta, mean);
    variance += std::fmaf(delta * delta * share, static_cast<float>(count), squares[lane]);
    count = both;
  }
  variance /= static_cast<float>(width);
}

}  // namespace

void normalise(const Norm* norm, const float* x, int64_t rows, int64_t width, float* out) {
  for (int64_t row = 0; row < rows; row++, x += width, out += width) {
    float mean, variance;
    mean_and_variance(x, width, mean, variance);
    const float inverse = 1.0f / std::sqrt(std::max(variance, 0.0f) + static_cast<float>(norm->epsilon));
    const Vector minus_mean = _mm512_set1_ps(-mean), factor = _mm512_set1_ps(inverse);
    for (int64_t i = 0; i < width; i += LANES) {
      const Vector centred = _mm512_add_ps(_mm512_loadu_ps(x + i), minus_mean);
      _mm512_storeu_ps(out + i, _mm512_fmadd_ps(_mm512_mul_ps(centred, factor),
                                                _mm512_loadu_ps(norm->weight + i),
                                                _mm512_loadu_ps(norm->bias + i)));
    }
  }
}
