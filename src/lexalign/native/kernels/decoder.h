// One step of a Transformer's decoder, all layers of it, without a word of Python in between.
#pragma once

#include <cstdint>

#include "normalisation.h"
#include "products.h"

// The fields of these are those in `structures.py`, in the same order.
struct Layer {
  Product qkv, self_out, query, cross_out, inner, outer;
  Norm self_norm, cross_norm, feedforward_norm;
};

struct Decoder {
  int64_t num_layers, width, heads, head_size;
  int64_t norm_first;               // before each sub-layer, not after it
  int64_t swish;                    // the activation, not ReLU
  const float* embedding;           // (V, width), or null
  const int8_t* int8_embedding;     // the same in int8
  const float* embedding_scales;    // (V,), of int8 vectors
  const float* positions;           // (positions, width), from the first token's on
  double embedding_scale;
  const Norm* embedding_norm;       // or null
  const Norm* final_norm;           // or null
  const Product* output;
  const Layer* layers;
};

// Tensors of one step of B sentences with K hypotheses each. What the decoder remembers of a sentence stays where
// it is when others leave the batch: `place` says where, among all that are `stored`.
struct Step {
  int64_t batch, rows, beam;
  const int64_t* token_ids;         // (B, K)
  int64_t token_stride;             // from sentence to sentence
  int64_t* position;                // (1,), of this step; at its end, of the next
  int64_t stored;
  const int64_t* place;             // (B,)
  float* slots;                     // (layers, 2, stored, heads, room * head_size): keys, then values, as `Head` has them
  int64_t room, span, first_slot;   // the room is a multiple of 16
  const int64_t* shift;             // (B,), added to the first new slot of each sentence, or null
  uint16_t* visible;                // (B, beam, room / 16): the bits of the slots that a hypothesis sees
  const float* source_keys;         // (layers, stored, heads, groups of S, head_size, 16)
  const float* const* source_values;  // of each layer (stored, S, 2 * width), of which the second half are values
  int64_t source_length;            // S
  const uint16_t* source_visible;   // (stored, groups of S)
  int64_t attention_layer;          // -1 for none
  float* attention;                 // (B, heads, K, S), of that layer
  float* attention_query;           // (B, K, width), the input of its attention
  float* hidden;                    // (B, K, width), the decoder's output
  float* logits;                    // (B, K, V), or null
};

extern "C" {
void decoder_step(const Decoder* decoder, const Step* step);
// The keys of a layer's source, and at the first layer which positions are tokens, from a mask (stored, S).
void pack_source(const Decoder* decoder, const Step* step, int64_t layer, const bool* mask, float* keys,
                 uint16_t* visible);
// Hypothesis k of sentence b continues hypothesis beam_index[b, k], and sees what that sees.
void reorder_slots(const Step* step, const int64_t* beam_index);
// How many slots of each sentence any hypothesis sees; returns the most.
int64_t count_slots(const Step* step, int64_t* counts);
// These slots, moved to the front of room that may be the same or larger.
void compact_slots(const Decoder* decoder, const Step* from, const Step* to);
}
