"""The aligner of a learned head: the head with its layer, its temperature and the target embedding."""

import copy

import torch
from torch import Tensor

from lexalign.alignment.learned import AlignmentHead, PosteriorHead, apply_temperature
from lexalign.contracts.alignment import AlignmentMemory, Delay, ForcedTarget
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import DecoderOutput, EncodedSource
from lexalign.native.alignment import align_pairs, key_columns
from lexalign.native.device_alignment import align_on_device, fits
from lexalign.native.products import linear_product
from lexalign.native.step_kernels import step_kernels


class LearnedAligner:
    """Implements `Aligner`, and with a head of delay 0 `OnlineAligner`.

    `target_embedding` (V, D) holds the vectors of target tokens as the decoder is fed them, before positions
    are added; their part of the query is computed once for the whole vocabulary. On a GPU the head computes
    in the model's precision, which is many times as fast as float32.
    """

    def __init__(
        self,
        head: AlignmentHead,
        target_embedding: Tensor,
        *,
        layer: int,
        temperature: float = 1.0,
        threshold: float = 0.0,
    ) -> None:
        if target_embedding.shape[1] != head.width:
            raise LexalignError(
                f"the alignment head is {head.width} wide and the model {target_embedding.shape[1]}; "
                "the head belongs to another model"
            )
        if target_embedding.device.type != "cpu" and target_embedding.dtype != head.key.weight.dtype:
            head = copy.deepcopy(head).to(target_embedding.dtype)
        self.head, self.temperature, self.threshold = head, temperature, threshold
        self._layer = layer
        self._embedding = target_embedding
        with torch.no_grad():
            self._token_queries = (  # (V, D)
                head.token_query(target_embedding) if isinstance(head, PosteriorHead) else None
            )
        self._state_product = linear_product(head.state.weight)

    @property
    def delay(self) -> Delay:
        return self.head.delay

    @property
    def layer(self) -> int:
        return self._layer

    @property
    def signature(self) -> str:
        return f"{self.head.kind}|layer:{self.layer + 1}|temperature:{self.temperature:g}"

    def align(self, forced: ForcedTarget) -> Tensor:
        num_tokens = forced.token_ids.shape[1]
        states = forced.query[:, self.delay : self.delay + num_tokens]
        vectors = self._embedding[forced.token_ids]
        queries = self.head.query(states, vectors)
        found = self.head.attend(queries, self.head.keys(forced.source.states), forced.source.mask)
        return apply_temperature(found, self.temperature)

    def remember(self, source: EncodedSource) -> AlignmentMemory:
        keys = self.head.keys(source.states)
        return AlignmentMemory(mask=source.mask, keys=keys, columns=key_columns(keys))

    def align_candidates(self, memory: AlignmentMemory, output: DecoderOutput, token_ids: Tensor) -> Tensor:
        batch, rows, candidates = token_ids.shape
        if memory.columns is not None:
            row = torch.arange(rows).repeat_interleave(candidates).expand(batch, -1)
            return self.align_pairs(memory, output, row, token_ids.flatten(1)).view(*token_ids.shape, -1)
        if (found := self._align_on_device(memory, output, None, token_ids.flatten(1))) is not None:
            return found.view(*token_ids.shape, -1)
        queries = self._state_queries(output)[:, :, None]  # (B, K, 1, D)
        if self._token_queries is not None:
            queries = queries + self._token_queries[token_ids]  # (B, K, C, D)
        found = self._attend(queries.flatten(1, 2), memory).view(batch, rows, queries.shape[2], -1)
        return found.expand(-1, -1, candidates, -1)

    def align_pairs(
        self, memory: AlignmentMemory, output: DecoderOutput, rows: Tensor, token_ids: Tensor
    ) -> Tensor:
        if (found := self._align_on_device(memory, output, rows, token_ids)) is not None:
            return found
        states = self._state_queries(output)  # (B, K, D)
        if memory.columns is not None:
            vectors = self._token_queries
            return align_pairs(
                states, rows, token_ids, vectors, memory.columns, memory.mask, self.temperature
            )
        queries = states.gather(1, rows[:, :, None].expand(-1, -1, states.shape[2]))  # (B, C, D)
        if self._token_queries is not None:
            queries = queries + self._token_queries[token_ids]
        return self._attend(queries, memory)

    def _align_on_device(
        self, memory: AlignmentMemory, output: DecoderOutput, rows: Tensor | None, token_ids: Tensor
    ) -> Tensor | None:
        """Distributions (B, C, S) of pairs (B, C), where a GPU has kernels for them."""
        vectors = self._token_queries
        if vectors is None or memory.columns is not None:
            return None
        kernels = step_kernels(token_ids.device)
        if kernels is None or not kernels.on_device:
            return None
        assert memory.keys is not None
        if not fits(memory.keys, vectors):
            return None
        states = self._state_queries(output)
        return align_on_device(
            kernels, states, rows, token_ids, vectors, memory.keys, memory.mask, self.temperature
        )

    def _state_queries(self, output: DecoderOutput) -> Tensor:
        if self.delay:
            raise LexalignError(
                f"{self.head.kind} aligns a token only one step later; a search needs delay 0"
            )
        if output.query is None:
            raise LexalignError(
                f"start the search with attention_layer={self.layer}; its state is needed to align"
            )
        if self._state_product is not None and output.query.dtype == torch.float32:
            return self._state_product(output.query, None, False)
        return self.head.state_query(output.query)

    def _attend(self, queries: Tensor, memory: AlignmentMemory) -> Tensor:
        """Distributions (B, Q, S) of queries (B, Q, D)."""
        assert memory.keys is not None
        return apply_temperature(self.head.attend(queries, memory.keys, memory.mask), self.temperature)
