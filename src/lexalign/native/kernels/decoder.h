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

// Tensors of one step of B sentences with K hypotheses each.
struct Step {
  int64_t batch, rows;
  const int64_t* token_ids;         // (B, K)
  int64_t token_stride;             // from sentence to sentence
  const int64_t* position;          // (1,)
  float* slots;                     // (layers, 2, B, heads, room, head_size)
  int64_t room, span, first_slot;
  const int64_t* shift;             // (B,), added to the first new slot of each sentence, or null
  const float* visible;             // (B, beam, room): 0 where a hypothesis sees a slot
  int64_t beam;
  const float* const* memory;       // keys and values (B, heads, S, head_size) of every layer in turn
  int64_t source_span;
  const float* source_mask;         // (B, S): 0 where there is a token; null where there is one everywhere
  int64_t attention_layer;          // -1 for none
  float* attention;                 // (B, heads, K, S), of that layer
  float* attention_query;           // (B, K, width), the input of its attention
  float* hidden;                    // (B, K, width), the decoder's output
  float* logits;                    // (B, K, V), or null
};

extern "C" void decoder_step(const Decoder* decoder, const Step* step);
