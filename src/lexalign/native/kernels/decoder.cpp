#include "decoder.h"

#include <algorithm>
#include <vector>

#include "attention.h"
#include "vectors.h"

VectorFunction exponential, logarithm;
DoubleFunction double_logarithm;

extern "C" void use_functions(VectorFunction exp, VectorFunction log, DoubleFunction log_of_doubles) {
  exponential = exp, logarithm = log, double_logarithm = log_of_doubles;
}

namespace {

// What a step needs beside its results, in memory that is used again.
struct Scratch {
  std::vector<float> normed, projected, heads, inner;
  std::vector<uint16_t> slots, sources;
};

template <typename T>
T* at_least(std::vector<T>& buffer, size_t size) {
  if (buffer.size() < size) buffer.resize(size);
  return buffer.data();
}

void embed(const Decoder& decoder, const Step& step, float* x) {
  const int64_t width = decoder.width;
  const float* position = decoder.positions + *step.position * width;
  const Vector scale = _mm512_set1_ps(static_cast<float>(decoder.embedding_scale));
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t row = 0; row < step.rows; row++, x += width) {
      const int64_t token = step.token_ids[b * step.token_stride + row];
      for (int64_t i = 0; i < width; i += LANES) {
        Vector value;
        if (decoder.embedding) {
          value = _mm512_loadu_ps(decoder.embedding + token * width + i);
        } else {
          const __m128i stored = _mm_loadu_si128(
              reinterpret_cast<const __m128i*>(decoder.int8_embedding + token * width + i));
          value = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(stored)),
                                _mm512_set1_ps(decoder.embedding_scales[token]));
        }
        _mm512_storeu_ps(x + i, _mm512_fmadd_ps(value, scale, _mm512_loadu_ps(position + i)));
      }
    }
}

// The bits of the zeros in a mask of 0 and -inf.
void find_zeros(const float* mask, int64_t size, uint16_t* bits) {
  for (int64_t i = 0; i < size; i += LANES)
    *bits++ = _mm512_mask_cmp_ps_mask(first_lanes(size - i), _mm512_maskz_loadu_ps(first_lanes(size - i), mask + i),
                                      _mm512_setzero_ps(), _CMP_EQ_OQ);
}

void find_visible(const Step& step, Scratch& scratch) {
  const int64_t groups = num_groups(step.span), source_groups = num_groups(step.source_span);
  uint16_t* slots = at_least(scratch.slots, step.batch * step.rows * groups);
  uint16_t* sources = at_least(scratch.sources, step.batch * step.rows * source_groups);
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t row = 0; row < step.rows; row++, slots += groups, sources += source_groups) {
      find_zeros(step.visible + (b * step.beam + row) * step.room, step.span, slots);
      if (step.source_mask)
        find_zeros(step.source_mask + b * step.source_span, step.source_span, sources);
      else
        for (int64_t g = 0; g < source_groups; g++) sources[g] = first_lanes(step.source_span - g * LANES);
    }
}

// The keys and values of this step, from rows of query, key and value.
void append(const Decoder& decoder, const Step& step, int64_t layer, const float* projected) {
  const int64_t size = decoder.head_size, width = decoder.heads * size;
  for (int64_t part = 0; part < 2; part++)
    for (int64_t b = 0; b < step.batch; b++) {
      const int64_t slot = step.first_slot + (step.shift ? step.shift[b] : 0);
      for (int64_t h = 0; h < decoder.heads; h++) {
        const int64_t head = ((layer * 2 + part) * step.batch + b) * decoder.heads + h;
        for (int64_t row = 0; row < step.rows; row++)
          std::copy_n(projected + (b * step.rows + row) * 3 * width + (1 + part) * width + h * size, size,
                      step.slots + (head * step.room + slot + row) * size);
      }
    }
}

void attend_to_slots(const Decoder& decoder, const Step& step, int64_t layer, const float* projected,
                     const uint16_t* visible, float* out) {
  const int64_t size = decoder.head_size, width = decoder.heads * size, groups = num_groups(step.span);
  const int64_t all = step.batch * decoder.heads * step.room * size;
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t h = 0; h < decoder.heads; h++) {
      const float* keys =
          step.slots + 2 * layer * all + (b * decoder.heads + h) * step.room * size;
      attend({.query = projected + b * step.rows * 3 * width + h * size, .query_stride = 3 * width,
              .rows = step.rows, .size = size, .keys = keys, .values = keys + all, .span = step.span,
              .visible = visible + b * step.rows * groups, .out = out + b * step.rows * width + h * size,
              .out_stride = width, .weights = nullptr, .weights_stride = 0, .num_weights = 0});
    }
}

void attend_to_source(const Decoder& decoder, const Step& step, int64_t layer, const float* query,
                      const uint16_t* visible, float* out) {
  const int64_t size = decoder.head_size, width = decoder.heads * size, span = step.source_span;
  const bool watched = layer == step.attention_layer;
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t h = 0; h < decoder.heads; h++) {
      const int64_t head = b * decoder.heads + h;
      attend({.query = query + b * step.rows * width + h * size, .query_stride = width, .rows = step.rows,
              .size = size, .keys = step.memory[2 * layer] + head * span * size,
              .values = step.memory[2 * layer + 1] + head * span * size, .span = span,
              .visible = visible + b * step.rows * num_groups(span),
              .out = out + b * step.rows * width + h * size, .out_stride = width,
              .weights = watched ? step.attention + head * step.rows * span : nullptr,
              .weights_stride = span, .num_weights = span});
    }
}

void swish(float* x, int64_t size) {
  for (int64_t i = 0; i < size; i += LANES) {
    const __mmask16 mask = first_lanes(size - i);
    const Vector value = _mm512_maskz_loadu_ps(mask, x + i);
    const Vector negative = _mm512_xor_ps(value, _mm512_set1_ps(-0.0f));
    _mm512_mask_storeu_ps(
        x + i, mask, _mm512_div_ps(value, _mm512_add_ps(_mm512_set1_ps(1.0f), exponential(negative))));
  }
}

// The rows of a decoder between its layers.
class Rows {
 public:
  Rows(const Decoder& decoder, const Step& step, Scratch& scratch)
      : decoder_(decoder), step_(step), scratch_(scratch), count_(step.batch * step.rows), x_(step.hidden) {}

  void run() {
    embed(decoder_, step_, x_);
    if (decoder_.embedding_norm) normalise(decoder_.embedding_norm, x_, count_, decoder_.width, x_);
    find_visible(step_, scratch_);
    for (int64_t index = 0; index < decoder_.num_layers; index++) {
      const Layer& layer = decoder_.layers[index];
      see_past(layer, index);
      if (index == step_.attention_layer) std::copy_n(x_, count_ * decoder_.width, step_.attention_query);
      see_source(layer, index);
      feed_forward(layer);
    }
    if (decoder_.final_norm) normalise(decoder_.final_norm, x_, count_, decoder_.width, x_);
    if (step_.logits) multiply(decoder_.output, x_, count_, nullptr, false, step_.logits);
  }

 private:
  void see_past(const Layer& layer, int64_t index) {
    const float* input = normalised_input(layer.self_norm);
    float* projected = at_least(scratch_.projected, count_ * layer.qkv.columns);
    float* heads = at_least(scratch_.heads, count_ * layer.self_out.terms);
    multiply(&layer.qkv, input, count_, nullptr, false, projected);
    append(decoder_, step_, index, projected);
    attend_to_slots(decoder_, step_, index, projected, scratch_.slots.data(), heads);
    add_residual(layer.self_out, heads, layer.self_norm);
  }

  void see_source(const Layer& layer, int64_t index) {
    const float* input = normalised_input(layer.cross_norm);
    float* projected = at_least(scratch_.projected, count_ * layer.query.columns);
    float* heads = at_least(scratch_.heads, count_ * layer.cross_out.terms);
    multiply(&layer.query, input, count_, nullptr, false, projected);
    attend_to_source(decoder_, step_, index, projected, scratch_.sources.data(), heads);
    add_residual(layer.cross_out, heads, layer.cross_norm);
  }

  void feed_forward(const Layer& layer) {
    const float* input = normalised_input(layer.feedforward_norm);
    float* inner = at_least(scratch_.inner, count_ * layer.inner.columns);
    multiply(&layer.inner, input, count_, nullptr, !decoder_.swish, inner);
    if (decoder_.swish) swish(inner, count_ * layer.inner.columns);
    add_residual(layer.outer, inner, layer.feedforward_norm);
  }

  const float* normalised_input(const Norm& norm) {
    if (!decoder_.norm_first) return x_;
    float* normed = at_least(scratch_.normed, count_ * decoder_.width);
    normalise(&norm, x_, count_, decoder_.width, normed);
    return normed;
  }

  void add_residual(const Product& product, const float* hidden, const Norm& norm) {
    multiply(&product, hidden, count_, x_, false, x_);
    if (!decoder_.norm_first) normalise(&norm, x_, count_, decoder_.width, x_);
  }

  const Decoder& decoder_;
  const Step& step_;
  Scratch& scratch_;
  const int64_t count_;
  float* const x_;
};

}  // namespace

void decoder_step(const Decoder* decoder, const Step* step) {
  static thread_local Scratch scratch;
  Rows(*decoder, *step, scratch).run();
}
