// Layer norm, with the sums of torch's own.
#pragma once

#include <cstdint>

struct Norm {
  const float* weight;
  const float* bias;
  double epsilon;
};

// Rows of `width`, a multiple of 16; `out` may be `x`.
extern "C" void normalise(const Norm* norm, const float* x, int64_t rows, int64_t width, float* out);
