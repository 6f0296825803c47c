// Attention of the hypotheses of one sentence to positions that they share.
#pragma once

#include <cstdint>

// One head: `keys` and `values` (span, size); each row sees the positions whose bits are set in its row of
// `visible` (rows, groups of 16 positions).
struct Head {
  const float* query;
  int64_t query_stride, rows, size;
  const float *keys, *values;
  int64_t span;
  const uint16_t* visible;
  float* out;
  int64_t out_stride;
  float* weights;  // (rows, weights_stride) for the distributions of the rows, or null
  int64_t weights_stride, num_weights;
};

int64_t num_groups(int64_t span);
// In place, over the groups of one row; what it does not see becomes zero.
void softmax(float* scores, const uint16_t* visible, int64_t groups);
void attend(const Head& head);
