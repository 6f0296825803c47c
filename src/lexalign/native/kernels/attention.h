// Attention of the hypotheses of one sentence to positions that they share.
#pragma once

#include <cstdint>

// One head: `keys` (groups, size, 16), a column for every position of a group of 16; values (span, size); each row
// sees the positions whose bits are set in its row of `visible` (rows, groups).
struct Head {
  const float* query;
  int64_t query_stride, rows, size;
  const float *keys, *values;
  int64_t value_stride, span;
  const uint16_t* visible;
  int64_t visible_stride;  // 0: all rows see the same
  float* out;
  int64_t out_stride;
  float* weights;  // (rows, weights_stride) for the distributions of the rows, or null
  int64_t weights_stride, num_weights;
};

int64_t num_groups(int64_t span);
// In place, over the groups of one row; what it does not see becomes zero.
void softmax(float* scores, const uint16_t* visible, int64_t groups);
void attend(const Head& head);
// Rows (count, size) with a stride as keys; the last group is filled up with zeros.
void pack_keys(const float* rows, int64_t stride, int64_t count, int64_t size, float* keys);
