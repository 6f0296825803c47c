// Products of a few rows with packed weights, in float32 or int8.
#pragma once

#include <cstdint>

// Weights (columns, terms) in panels of 64 columns. In int8 a row of activations is divided by its largest
// value, rounded to 8 bits around `zero_point`, and multiplied back: no row depends on another.
struct Product {
  const void* weights;    // float [panel][term][64], or int8 [panel][term / 4][64][4]
  const float* scales;    // of int8 columns, times the step of the activations; null in float32
  const int32_t* offsets; // what the zero point adds to int8 columns
  const float* bias;      // or null
  int64_t columns, terms;
  int64_t block;          // float32: terms that are summed in one sequence, as oneDNN does
  int64_t zero_point;     // int8: 128, or 0 where no activation is negative
};

extern "C" {
int64_t packed_columns(int64_t columns);
int64_t packed_terms(int64_t terms);
void pack_float(const float* weights, int64_t columns, int64_t terms, float* packed);
void pack_int8(const int8_t* weights, int64_t columns, int64_t terms, int64_t zero_point, int8_t* packed,
               int32_t* offsets);
// out = residual + x Wᵀ + bias, or relu(x Wᵀ + bias); `out` may be `residual`.
void multiply(const Product* product, const float* x, int64_t rows, const float* residual, bool relu,
              float* out);
}
