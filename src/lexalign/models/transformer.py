"""The Transformer encoder-decoder (Vaswani et al. 2017), in every variant that `ModelConfig` can name."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import torch
from torch import Tensor, nn

from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import DecoderOutput, EncodedSource, LayerView, Vocabulary
from lexalign.contracts.shortlist import Shortlist
from lexalign.kernel_shapes import steady_span
from lexalign.models.attention import CrossAttention, SelfAttention, additive_mask
from lexalign.models.cache import DecoderCache
from lexalign.models.cells import RecurrentCache
from lexalign.models.config import ModelConfig
from lexalign.models.embedding import TokenEmbedding, new_token_embedding, position_table
from lexalign.models.encoder_decoder import Decoder, Encoder
from lexalign.models.layers import FeedForward
from lexalign.models.length_groups import (
    content_lengths,
    gather_groups,
    join_outputs,
    join_views,
    length_groups,
    pair_groups,
    resize,
)
from lexalign.models.native_cache import NativeCache
from lexalign.models.native_decoder import NativeDecoder
from lexalign.models.projection import Precision, Projection
from lexalign.models.recurrence import RecurrentUnit
from lexalign.models.relative_bias import RelativeBias
from lexalign.models.shortlisted_output import MaskedOutput, ShortlistedOutput

State = DecoderCache | NativeCache


class Transformer(nn.Module):
    """Implements `AlignableModel`."""

    output_bias: Tensor | None
    _packed: bool = False
    _native: NativeDecoder | None = None  # the decoder's step in one kernel, once the weights are packed

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        size = config.vocabulary_size
        source_table = new_token_embedding(config, config.source_vocabulary_size or size)
        target_table = source_table if config.tied_encoder_decoder else new_token_embedding(config, size)
        self.encoder = Encoder(config, source_table)
        self.decoder = Decoder(config, target_table)
        self.output = Projection(config.width, config.vocabulary_size, bias=config.output_bias)
        if not source_table.weight.is_meta:
            self._initialise()
        self.tie()

    def with_target_prefix(self, token_ids: tuple[int, ...]) -> "Transformer":
        """A model of the same weights whose targets begin with these tokens, such as a language code."""
        if not token_ids:
            return self
        view = copy(self)
        view.config = replace(self.config, target_prefix=(*self.config.target_prefix, *token_ids))
        return view

    @property
    def vocabulary(self) -> Vocabulary:
        return self.config.vocabulary

    @property
    def device(self) -> torch.device:
        return self.encoder.embedding.positions.device

    @property
    def decoder_layers(self) -> int:
        return self.config.decoder_layers

    @property
    def target_embedding(self) -> Tensor:
        embedding = self.decoder.embedding
        return embedding.tokens.vectors * embedding.scale

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """The logits (B, T, V) of every next token, for training."""
        mask = additive_mask(self._is_read(source_ids), self._activation_dtype())
        states = self.encoder(source_ids, mask)
        x, _, _ = self.decoder(target_ids, self.decoder.project_memory(states), mask)
        logits: Tensor = self.output(x)
        return logits

    def encode(self, source_ids: Tensor) -> EncodedSource:
        mask = self._is_read(source_ids)
        if self._packed:
            return EncodedSource(states=self._encode_by_length(source_ids, mask), mask=mask)
        return EncodedSource(states=self.encoder(source_ids, self._source_mask(mask)), mask=mask)

    def start(
        self,
        source: EncodedSource,
        *,
        beam: int,
        attention_layer: int | None = None,
        static: bool = False,
        into: State | None = None,
        shortlist: Shortlist | None = None,
    ) -> State:
        output = None if shortlist is None or into is not None else self._shortlisted(shortlist, static)
        if self._native is not None and not static:
            assert not isinstance(output, MaskedOutput)
            memory = self.decoder.project_source(source.states)
            return self._native.start(
                memory, source.mask, beam=beam, attention_layer=attention_layer, output=output
            )
        keys_values, mask = self.decoder.project_memory(source.states), source.mask
        span = steady_span(mask.shape[1]) if self._packed else mask.shape[1]
        if span > mask.shape[1]:
            keys_values = [(resize(key, 2, span), resize(value, 2, span)) for key, value in keys_values]
            mask = resize(mask, 1, span)
        keys_values = [(key.contiguous(), value.contiguous()) for key, value in keys_values]
        mask_term = self._source_mask(mask, static)
        if into is not None:
            assert isinstance(into, DecoderCache)
            into.restart(keys_values, mask_term)
            if isinstance(into.output, MaskedOutput) and shortlist is not None:
                into.output.restart(shortlist)
            return into
        length = source.mask.shape[1]
        cache = RecurrentCache if self.config.decoder_autoregression == "ssru" else DecoderCache
        state = cache(
            keys_values,
            mask_term,
            source_length=length,
            beam=beam,
            attention_layer=attention_layer,
            static=static,
        )
        state.output = output
        return state

    def _shortlisted(self, shortlist: Shortlist, static: bool) -> ShortlistedOutput | MaskedOutput:
        if static:
            return MaskedOutput(self.output, shortlist)
        tied = self.config.tied_output
        weight = self.decoder.embedding.tokens.stored if tied else self.output.stored
        return ShortlistedOutput(self.output, weight, shortlist)

    def step(self, state: State, token_ids: Tensor) -> DecoderOutput:
        logits: Tensor | None = None
        if isinstance(state, NativeCache):
            assert self._native is not None
            x, attention, query, logits = self._native.step(token_ids, state)
        else:
            x, attention, query = self.decoder.step(token_ids, state)
        if state.output is None:
            logits = self.output(x) if logits is None else logits
            return DecoderOutput(logits=logits, head_attention=attention, query=query)
        logits, shortlist = state.output(x), state.output.shortlist
        return DecoderOutput(logits=logits, shortlist=shortlist, head_attention=attention, query=query)

    def force(
        self, source: EncodedSource, token_ids: Tensor, attention_layer: int | None = None
    ) -> DecoderOutput:
        if not self._packed:
            return self._force(source, token_ids, attention_layer)
        groups = list(pair_groups(source, token_ids, self.config.pad_id, self.config.max_positions))
        parts = [
            (group.rows, self._force(group.source, group.token_ids, attention_layer)) for group in groups
        ]
        return join_outputs(parts, token_ids.shape[1], source.mask.shape[1])

    def _force(self, source: EncodedSource, token_ids: Tensor, attention_layer: int | None) -> DecoderOutput:
        memory = self.decoder.project_memory(source.states)
        x, attention, query = self.decoder(token_ids, memory, self._source_mask(source.mask), attention_layer)
        return DecoderOutput(logits=self.output(x), head_attention=attention, query=query)

    def observe(self, source: EncodedSource, token_ids: Tensor, layers: Sequence[int]) -> list[LayerView]:
        if not self._packed:
            return self._observe(source, token_ids, layers)
        groups = list(pair_groups(source, token_ids, self.config.pad_id, self.config.max_positions))
        parts = [(group.rows, self._observe(group.source, group.token_ids, layers)) for group in groups]
        return [
            join_views(
                [(rows, views[index]) for rows, views in parts], token_ids.shape[1], source.mask.shape[1]
            )
            for index in range(len(layers))
        ]

    def _observe(self, source: EncodedSource, token_ids: Tensor, layers: Sequence[int]) -> list[LayerView]:
        return self.decoder.observe(token_ids, source.states, self._source_mask(source.mask), layers)

    def _encode_by_length(self, source_ids: Tensor, mask: Tensor) -> Tensor:
        parts = []
        lengths = [(length,) for length in content_lengths(mask)]
        for (size,), rows in length_groups(lengths, self.config.max_positions).items():
            ids = resize(source_ids[rows], 1, size, self.config.pad_id)
            states = self.encoder(ids, self._source_mask(self._is_read(ids)))
            parts.append((rows, resize(states, 1, source_ids.shape[1])))
        return gather_groups(parts)

    def pack(self, precision: Precision) -> "Transformer":
        """Pack the weights for inference on a CPU.

        From then on no sentence depends on the others of its batch: sources and forced targets of similar
        length are computed together, and the shapes of a step are those at which kernels agree.

        In int8 only biases, norms and positions stay in floating point. The output projection, the largest
        weight, is packed first, while the memory in use is least.
        """
        self.output.pack(precision, keep_rows=not self.config.tied_output)
        for module in self.modules():
            if isinstance(module, (SelfAttention, RecurrentUnit, CrossAttention, FeedForward)):
                module.pack(precision)
            elif isinstance(module, TokenEmbedding) and precision != "float32":
                module.pack()
        self._packed = True
        self._native = NativeDecoder.of(self.config, self.decoder, self.output)
        return self.eval().requires_grad_(False)

    def check_float(self) -> None:
        """Raise an error if the weights are packed in int8 and so cannot be saved."""
        if not self.decoder.embedding.tokens.weight.numel():
            raise LexalignError('the model computes in int8; load it with precision="float32" to save it')

    @torch.no_grad()
    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, Projection):
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for module in self.modules():
            if isinstance(module, (SelfAttention, CrossAttention)):
                module.initialise()
        nn.init.normal_(self.output.weight, std=self.config.width**-0.5)

    def tie(self) -> None:
        """Share the embeddings that the config ties, also after the modules got new tensors."""
        if self.config.tied_encoder_decoder:
            self.decoder.embedding.tokens.weight = self.encoder.embedding.tokens.weight
        if self.config.tied_output:
            self.output.weight = self.decoder.embedding.tokens.weight

    @torch.no_grad()
    def zero_padding_embedding(self) -> None:
        """Reset the padding's embedding to zero, after the gradient of a tied output has changed it."""
        for table in {self.encoder.embedding.tokens.weight, self.decoder.embedding.tokens.weight}:
            table[self.config.pad_id].zero_()

    def reset_positions(self) -> None:
        """Compute positions of a model that was made on the meta device; both sides share sinusoidal ones."""
        table = position_table(self.config)
        self.encoder.embedding.reset_positions(table)
        self.decoder.embedding.reset_positions(table)
        for module in self.modules():
            if isinstance(module, RelativeBias):
                module.reset_buckets()

    def _is_read(self, source_ids: Tensor) -> Tensor:
        """The mask (B, S) of tokens that the encoder reads: no padding, and an end of sentence if the model
        was trained with it, or if there is nothing else."""
        mask = source_ids != self.config.pad_id
        if self.config.source_eos:
            return mask
        content = mask & (source_ids != self.config.eos_id)
        return content | (mask & ~content.any(dim=1, keepdim=True))

    def _source_mask(self, mask: Tensor, always: bool = False) -> Tensor | None:
        """The additive mask, or None on a CPU where nothing is padded; on a GPU the test costs too much."""
        if not always and mask.device.type == "cpu" and bool(mask.all()):
            return None
        return additive_mask(mask, self._activation_dtype())

    def _activation_dtype(self) -> torch.dtype:
        device = self.device.type
        return (
            torch.get_autocast_dtype(device)
            if torch.is_autocast_enabled(device)
            else self.encoder.embedding.positions.dtype
        )
