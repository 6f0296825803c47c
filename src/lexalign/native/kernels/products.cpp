#include "products.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "vectors.h"

namespace {

constexpr int64_t PANEL = 64;       // columns: four vectors
constexpr int PANEL_VECTORS = 4;
constexpr int64_t TILE_ROWS = 6;    // 24 sums, which leaves registers for weights and one activation
constexpr int64_t AHEAD = 8192;     // bytes of weights that are fetched ahead of their use

int64_t round_up(int64_t size, int64_t multiple) { return (size + multiple - 1) / multiple * multiple; }

// Rows of the next tile: never a small remainder behind a full tile.
int64_t tile_rows(int64_t left) { return left == 7 || left == 8 ? 4 : std::min(left, TILE_ROWS); }

void fetch(const void* weights) {
  const char* ahead = static_cast<const char*>(weights) + AHEAD;
  _mm_prefetch(ahead, _MM_HINT_T0);
  _mm_prefetch(ahead + 64, _MM_HINT_T0);
  _mm_prefetch(ahead + 128, _MM_HINT_T0);
  _mm_prefetch(ahead + 192, _MM_HINT_T0);
}

// Where a tile's results go, and what is added to them.
struct Results {
  float* out;
  const float* bias;
  const float* residual;
  int64_t stride, columns;
  bool relu;
};

inline __attribute__((always_inline)) void finish(Vector sum, int row, int vector, const Results& to) {
  const __mmask16 mask = first_lanes(to.columns - vector * LANES);
  const int64_t place = row * to.stride + vector * LANES;
  if (to.relu) sum = _mm512_max_ps(sum, _mm512_setzero_ps());
  if (to.residual) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, to.residual + place));
  _mm512_mask_storeu_ps(to.out + place, mask, sum);
}

template <int ROWS>
void float_tile(const Product& product, const float* x, const float* weights, const Results& to) {
  Vector total[ROWS][PANEL_VECTORS], sum[ROWS][PANEL_VECTORS];
  for (int64_t first = 0; first < product.terms; first += product.block) {
    const int64_t last = std::min(first + product.block, product.terms);
#pragma GCC unroll 8
    for (int row = 0; row < ROWS; row++)
#pragma GCC unroll 4
      for (int v = 0; v < PANEL_VECTORS; v++) sum[row][v] = _mm512_setzero_ps();
    for (int64_t term = first; term < last; term++) {
      const float* w = weights + term * PANEL;
      fetch(w);
      const Vector w0 = _mm512_loadu_ps(w), w1 = _mm512_loadu_ps(w + 16);
      const Vector w2 = _mm512_loadu_ps(w + 32), w3 = _mm512_loadu_ps(w + 48);
#pragma GCC unroll 8
      for (int row = 0; row < ROWS; row++) {
        const Vector a = _mm512_set1_ps(x[row * product.terms + term]);
        sum[row][0] = _mm512_fmadd_ps(a, w0, sum[row][0]);
        sum[row][1] = _mm512_fmadd_ps(a, w1, sum[row][1]);
        sum[row][2] = _mm512_fmadd_ps(a, w2, sum[row][2]);
        sum[row][3] = _mm512_fmadd_ps(a, w3, sum[row][3]);
      }
    }
#pragma GCC unroll 8
    for (int row = 0; row < ROWS; row++)
#pragma GCC unroll 4
      for (int v = 0; v < PANEL_VECTORS; v++)
        total[row][v] = first ? _mm512_add_ps(total[row][v], sum[row][v]) : sum[row][v];
  }
#pragma GCC unroll 8
  for (int row = 0; row < ROWS; row++)
#pragma GCC unroll 4
    for (int v = 0; v < PANEL_VECTORS; v++) {
      Vector sum = total[row][v];
      if (to.bias)
        sum = _mm512_add_ps(
            sum, _mm512_maskz_loadu_ps(first_lanes(to.columns - v * LANES), to.bias + v * LANES));
      finish(sum, row, v, to);
    }
}

// GCC copies the sum of the intrinsic at every use, and runs out of registers.
inline void add_products(__m512i& sum, __m512i activations, __m512i weights) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(activations), "v"(weights));
}

template <int ROWS>
void int8_tile(const Product& product, const uint8_t* x, const float* largest, const int8_t* weights,
               int64_t first_column, const Results& to) {
  const int64_t terms = packed_terms(product.terms);
  __m512i sum[ROWS][PANEL_VECTORS];
#pragma GCC unroll 4
  for (int v = 0; v < PANEL_VECTORS; v++) {
    const __m512i offset = _mm512_loadu_si512(product.offsets + first_column + v * LANES);
#pragma GCC unroll 8
    for (int row = 0; row < ROWS; row++) sum[row][v] = offset;
  }
  for (int64_t term = 0; term < terms; term += 4) {
    const int8_t* w = weights + term * PANEL;
    fetch(w);
    const __m512i w0 = _mm512_loadu_si512(w), w1 = _mm512_loadu_si512(w + 64);
    const __m512i w2 = _mm512_loadu_si512(w + 128), w3 = _mm512_loadu_si512(w + 192);
#pragma GCC unroll 8
    for (int row = 0; row < ROWS; row++) {
      int32_t four;
      std::memcpy(&four, x + row * terms + term, sizeof four);
      const __m512i a = _mm512_set1_epi32(four);
      add_products(sum[row][0], a, w0);
      add_products(sum[row][1], a, w1);
      add_products(sum[row][2], a, w2);
      add_products(sum[row][3], a, w3);
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < ROWS; row++)
#pragma GCC unroll 4
    for (int v = 0; v < PANEL_VECTORS; v++) {
      const Vector scale = _mm512_loadu_ps(product.scales + first_column + v * LANES);
      const Vector value = _mm512_mul_ps(_mm512_cvtepi32_ps(sum[row][v]), scale);
      const Vector bias =
          to.bias ? _mm512_maskz_loadu_ps(first_lanes(to.columns - v * LANES), to.bias + v * LANES)
                  : _mm512_setzero_ps();
      finish(_mm512_fmadd_ps(value, _mm512_set1_ps(largest[row]), bias), row, v, to);
    }
}

// The largest magnitude of a row, and the row in 8 bits; a row of zeros stays one.
float quantise(const float* x, int64_t terms, int64_t zero_point, uint8_t* rounded) {
  Vector most = _mm512_setzero_ps();
  for (int64_t i = 0; i < terms; i += LANES)
    most = _mm512_max_ps(most, _mm512_abs_ps(_mm512_maskz_loadu_ps(first_lanes(terms - i), x + i)));
  const float largest = max_of_lanes(most);
  const Vector steps = _mm512_set1_ps(zero_point ? 127.0f : 255.0f);
  const Vector divisor = _mm512_set1_ps(largest > 0 ? largest : 1.0f);
  for (int64_t i = 0; i < terms; i += LANES) {
    const __mmask16 mask = first_lanes(terms - i);
    const Vector share = _mm512_div_ps(_mm512_maskz_loadu_ps(mask, x + i), divisor);
    const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(share, steps)),
                                           _mm512_set1_epi32(static_cast<int>(zero_point)));
    _mm_mask_storeu_epi8(rounded + i, mask, _mm512_cvtepi32_epi8(whole));
  }
  return largest;
}

#define FOR_ROWS(rows, CALL) \
  switch (rows) {            \
    case 1: CALL(1); break;  \
    case 2: CALL(2); break;  \
    case 3: CALL(3); break;  \
    case 4: CALL(4); break;  \
    case 5: CALL(5); break;  \
    default: CALL(6);        \
  }

void multiply_float(const Product& product, const float* x, int64_t rows, Results to) {
  const float* panel = static_cast<const float*>(product.weights);
  const Results all = to;
  for (int64_t column = 0; column < product.columns; column += PANEL, panel += product.terms * PANEL)
    for (int64_t row = 0, count; row < rows; row += count) {
      count = tile_rows(rows - row);
      to.out = all.out + row * all.stride + column;
      to.bias = all.bias ? all.bias + column : nullptr;
      to.residual = all.residual ? all.residual + row * all.stride + column : nullptr;
      to.columns = product.columns - column;
#define CALL(ROWS) float_tile<ROWS>(product, x + row * product.terms, panel, to)
      FOR_ROWS(count, CALL)
#undef CALL
    }
}

void multiply_int8(const Product& product, const float* x, int64_t rows, Results to) {
  const int64_t terms = packed_terms(product.terms);
  static thread_local std::vector<uint8_t> rounded;
  static thread_local std::vector<float> largest;
  rounded.resize(std::max<size_t>(rounded.size(), rows * terms + LANES));
  largest.resize(std::max<size_t>(largest.size(), rows));
  for (int64_t row = 0; row < rows; row++)
    largest[row] =
        quantise(x + row * product.terms, product.terms, product.zero_point, rounded.data() + row * terms);
  const int8_t* panel = static_cast<const int8_t*>(product.weights);
  const Results all = to;
  for (int64_t column = 0; column < product.columns; column += PANEL, panel += terms * PANEL)
    for (int64_t row = 0, count; row < rows; row += count) {
      count = tile_rows(rows - row);
      to.out = all.out + row * all.stride + column;
      to.bias = all.bias ? all.bias + column : nullptr;
      to.residual = all.residual ? all.residual + row * all.stride + column : nullptr;
      to.columns = product.columns - column;
#define CALL(ROWS) \
  int8_tile<ROWS>(product, rounded.data() + row * terms, largest.data() + row, panel, column, to)
      FOR_ROWS(count, CALL)
#undef CALL
    }
}

}  // namespace

int64_t packed_columns(int64_t columns) { return round_up(columns, PANEL); }

int64_t packed_terms(int64_t terms) { return round_up(terms, 4); }

void pack_float(const float* weights, int64_t columns, int64_t terms, float* packed) {
  for (int64_t panel = 0; panel < columns; panel += PANEL, packed += terms * PANEL)
    for (int64_t first = 0; first < terms; first += LANES)  // a few lines of every row at a time
      for (int64_t j = 0; j < PANEL; j++)
        for (int64_t term = first; term < std::min(first + LANES, terms); term++)
          packed[term * PANEL + j] = panel + j < columns ? weights[(panel + j) * terms + term] : 0.0f;
}

void pack_int8(const int8_t* weights, int64_t columns, int64_t terms, int64_t zero_point, int8_t* packed,
               int32_t* offsets) {
  const int64_t padded = packed_terms(terms);
  std::memset(packed, 0, packed_columns(columns) * padded);
  std::memset(offsets, 0, packed_columns(columns) * sizeof *offsets);
  for (int64_t column = 0; column < columns; column++) {
    const int8_t* row = weights + column * terms;
    int8_t* to = packed + (column / PANEL * padded * PANEL) + column % PANEL * 4;
    int32_t sum = 0;
    for (int64_t term = 0; term < terms; term++) sum += row[term];
    offsets[column] = static_cast<int32_t>(-zero_point) * sum;
    for (int64_t term = 0; term < terms; term += 4)
      std::memcpy(to + term * PANEL, row + term, std::min<int64_t>(4, terms - term));
  }
}

void multiply(const Product* product, const float* x, int64_t rows, const float* residual, bool relu,
              float* out) {
  const Results to{out, product->bias, residual, product->columns, product->columns, relu};
  (product->scales ? multiply_int8 : multiply_float)(*product, x, rows, to);
}
