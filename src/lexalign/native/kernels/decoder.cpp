#include "decoder.h"

#include <algorithm>
#include <vector>

#include "attention.h"
#include "vectors.h"

VectorFunction logarithm;
DoubleFunction double_logarithm;

// Whether the exponential here is torch's too, over all that a softmax asks for.
extern "C" bool use_functions(VectorFunction exp, VectorFunction log, DoubleFunction log_of_doubles) {
  logarithm = log, double_logarithm = log_of_doubles;
  const Vector lanes = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (float first = -110.0f; first < 1.0f; first += 0.0317f) {
    const Vector x = _mm512_fmadd_ps(lanes, _mm512_set1_ps(0.00197f), _mm512_set1_ps(first));
    if (_mm512_cmp_ps_mask(exp(x), exponential(x), _CMP_NEQ_UQ)) return false;
  }
  return true;
}

namespace {

// What a step needs beside its results, in memory that is used again.
struct Scratch {
  std::vector<float> normed, projected, heads, inner;
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

// Keys and values of one layer's self-attention, of one head of a sentence.
struct HeadSlots {
  float *keys, *values;

  HeadSlots(const Decoder& decoder, const Step& step, int64_t layer, int64_t b, int64_t h) {
    const int64_t head = step.room * decoder.head_size, part = step.stored * decoder.heads * head;
    keys = step.slots + 2 * layer * part + (step.place[b] * decoder.heads + h) * head;
    values = keys + part;
  }

  void set_key(int64_t slot, int64_t size, const float* key) const {
    float* column = keys + slot / LANES * LANES * size + slot % LANES;
    for (int64_t i = 0; i < size; i++) column[i * LANES] = key[i];
  }

  void move(int64_t from, const HeadSlots& to, int64_t slot, int64_t size) const {
    const float* column = keys + from / LANES * LANES * size + from % LANES;
    float* target = to.keys + slot / LANES * LANES * size + slot % LANES;
    for (int64_t i = 0; i < size; i++) target[i * LANES] = column[i * LANES];
    std::copy_n(values + from * size, size, to.values + slot * size);
  }
};

uint16_t seen_by_any(const Step& step, int64_t b, int64_t group) {
  const int64_t groups = num_groups(step.room);
  uint16_t seen = 0;
  for (int64_t k = 0; k < step.beam; k++) seen |= step.visible[(b * step.beam + k) * groups + group];
  return seen;
}

bool sees(const Step& step, int64_t b, int64_t k, int64_t slot) {
  return step.visible[(b * step.beam + k) * num_groups(step.room) + slot / LANES] >> slot % LANES & 1;
}

// Where the first new slot of a sentence is.
int64_t new_slot(const Step& step, int64_t b) { return step.first_slot + (step.shift ? step.shift[b] : 0); }

// Each hypothesis has a slot that it alone sees.
void see_own_slots(const Step& step) {
  const int64_t groups = num_groups(step.room);
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t row = 0; row < step.rows; row++) {
      const int64_t slot = new_slot(step, b) + row;
      step.visible[(b * step.beam + row) * groups + slot / LANES] |= 1u << slot % LANES;
    }
}

// The keys and values of this step, from rows of query, key and value.
void append(const Decoder& decoder, const Step& step, int64_t layer, const float* projected) {
  const int64_t size = decoder.head_size, width = decoder.heads * size;
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t h = 0; h < decoder.heads; h++) {
      const HeadSlots slots(decoder, step, layer, b, h);
      for (int64_t row = 0; row < step.rows; row++) {
        const float* key = projected + (b * step.rows + row) * 3 * width + width + h * size;
        slots.set_key(new_slot(step, b) + row, size, key);
        std::copy_n(key + width, size, slots.values + (new_slot(step, b) + row) * size);
      }
    }
}

void attend_to_slots(const Decoder& decoder, const Step& step, int64_t layer, const float* projected, float* out) {
  const int64_t size = decoder.head_size, width = decoder.heads * size, groups = num_groups(step.room);
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t h = 0; h < decoder.heads; h++) {
      const HeadSlots slots(decoder, step, layer, b, h);
      attend({.query = projected + b * step.rows * 3 * width + h * size, .query_stride = 3 * width,
              .rows = step.rows, .size = size, .keys = slots.keys, .values = slots.values, .value_stride = size,
              .span = step.span, .visible = step.visible + b * step.beam * groups, .visible_stride = groups,
              .out = out + b * step.rows * width + h * size, .out_stride = width, .weights = nullptr,
              .weights_stride = 0, .num_weights = 0});
    }
}

void attend_to_source(const Decoder& decoder, const Step& step, int64_t layer, const float* query, float* out) {
  const int64_t size = decoder.head_size, width = decoder.heads * size, length = step.source_length;
  const int64_t groups = num_groups(length);
  const bool watched = layer == step.attention_layer;
  for (int64_t b = 0; b < step.batch; b++)
    for (int64_t h = 0; h < decoder.heads; h++) {
      const int64_t head = (layer * step.stored + step.place[b]) * decoder.heads + h;
      const float* values = step.source_values[layer] + step.place[b] * length * 2 * width + width;
      attend({.query = query + b * step.rows * width + h * size, .query_stride = width, .rows = step.rows,
              .size = size, .keys = step.source_keys + head * groups * LANES * size, .values = values + h * size,
              .value_stride = 2 * width, .span = length,
              .visible = step.source_visible + step.place[b] * groups, .visible_stride = 0,
              .out = out + b * step.rows * width + h * size, .out_stride = width,
              .weights = watched ? step.attention + (b * decoder.heads + h) * step.rows * length : nullptr,
              .weights_stride = length, .num_weights = length});
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
    see_own_slots(step_);
    for (int64_t index = 0; index < decoder_.num_layers; index++) {
      const Layer& layer = decoder_.layers[index];
      see_past(layer, index);
      if (index == step_.attention_layer) std::copy_n(x_, count_ * decoder_.width, step_.attention_query);
      see_source(layer, index);
      feed_forward(layer);
    }
    if (decoder_.final_norm) normalise(decoder_.final_norm, x_, count_, decoder_.width, x_);
    if (step_.logits) multiply(decoder_.output, x_, count_, nullptr, false, step_.logits);
    ++*step_.position;
  }

 private:
  void see_past(const Layer& layer, int64_t index) {
    const float* input = normalised_input(layer.self_norm);
    float* projected = at_least(scratch_.projected, count_ * layer.qkv.columns);
    float* heads = at_least(scratch_.heads, count_ * layer.self_out.terms);
    multiply(&layer.qkv, input, count_, nullptr, false, projected);
    append(decoder_, step_, index, projected);
    attend_to_slots(decoder_, step_, index, projected, heads);
    add_residual(layer.self_out, heads, layer.self_norm);
  }

  void see_source(const Layer& layer, int64_t index) {
    const float* input = normalised_input(layer.cross_norm);
    float* projected = at_least(scratch_.projected, count_ * layer.query.columns);
    float* heads = at_least(scratch_.heads, count_ * layer.cross_out.terms);
    multiply(&layer.query, input, count_, nullptr, false, projected);
    attend_to_source(decoder_, step_, index, projected, heads);
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

void pack_source(const Decoder* decoder, const Step* step, int64_t layer, const bool* mask, float* keys,
                 uint16_t* visible) {
  const int64_t size = decoder->head_size, width = decoder->heads * size, length = step->source_length;
  const int64_t groups = num_groups(length);
  for (int64_t b = 0; b < step->stored; b++) {
    for (int64_t h = 0; h < decoder->heads; h++)
      pack_keys(step->source_values[layer] + b * length * 2 * width + h * size, 2 * width, length, size,
                keys + ((layer * step->stored + b) * decoder->heads + h) * groups * LANES * size);
    for (int64_t s = 0; layer == 0 && s < length; s++)
      if (mask[b * length + s]) visible[b * groups + s / LANES] |= 1u << s % LANES;
  }
}

void reorder_slots(const Step* step, const int64_t* beam_index) {
  static thread_local std::vector<uint16_t> before;
  const int64_t room = num_groups(step->room), groups = num_groups(step->span);
  for (int64_t b = 0; b < step->batch; b++) {
    uint16_t* visible = step->visible + b * step->beam * room;
    before.assign(visible, visible + step->beam * room);
    for (int64_t k = 0; k < step->beam; k++)
      std::copy_n(before.data() + beam_index[b * step->beam + k] * room, groups, visible + k * room);
  }
}

int64_t count_slots(const Step* step, int64_t* counts) {
  const int64_t groups = num_groups(step->room);
  int64_t most = 0;
  for (int64_t b = 0; b < step->batch; b++) {
    counts[b] = 0;
    for (int64_t g = 0; g < groups; g++) counts[b] += __builtin_popcount(seen_by_any(*step, b, g));
    most = std::max(most, counts[b]);
  }
  return most;
}

void compact_slots(const Decoder* decoder, const Step* from, const Step* to) {
  const int64_t size = decoder->head_size;
  const bool elsewhere = from->slots != to->slots;
  static thread_local std::vector<int64_t> order;
  for (int64_t b = 0; b < from->batch; b++) {
    order.clear();
    for (int64_t g = 0; g < num_groups(from->room); g++)
      for (unsigned left = seen_by_any(*from, b, g); left; left &= left - 1)
        order.push_back(g * LANES + __builtin_ctz(left));
    for (int64_t k = 0; k < from->beam; k++)
      for (size_t slot = 0; slot < order.size(); slot++)
        if (sees(*from, b, k, order[slot]))
          to->visible[(b * to->beam + k) * num_groups(to->room) + slot / LANES] |= 1u << slot % LANES;
    for (int64_t layer = 0; layer < decoder->num_layers; layer++)
      for (int64_t h = 0; h < decoder->heads; h++) {
        const HeadSlots old(*decoder, *from, layer, b, h), moved(*decoder, *to, layer, b, h);
        for (size_t slot = 0; slot < order.size(); slot++)
          if (elsewhere || order[slot] != static_cast<int64_t>(slot)) old.move(order[slot], moved, slot, size);
      }
  }
}
