"""An aligner that is a lookup table, for tests of searches, as the table model is a model for them.

`affinity[y, x]` is the weight of source token x for target token y; a token's distribution over a source is
its row, looked up at the source's tokens and normalised. A row of zeros gives the uniform distribution.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.contracts.alignment import AlignmentMemory, Delay, ForcedTarget
from lexalign.contracts.model import DecoderOutput, EncodedSource


@dataclass(frozen=True, eq=False)
class TableAligner:
    """Implements `OnlineAligner`, for models whose source states (B, S, 1) are the token ids."""

    affinity: Tensor  # (V, V)
    layer: int = 0
    threshold: float = 0.0

    @property
    def delay(self) -> Delay:
        return 0

    @property
    def signature(self) -> str:
        return "table"

    def align(self, forced: ForcedTarget) -> Tensor:
        return self._look_up(forced.token_ids[:, :, None], forced.source_ids, forced.source.mask)[:, :, 0]

    def remember(self, source: EncodedSource) -> AlignmentMemory:
        return AlignmentMemory(mask=source.mask, keys=source.states)

    def align_candidates(self, memory: AlignmentMemory, output: DecoderOutput, token_ids: Tensor) -> Tensor:  # noqa: ARG002
        assert memory.keys is not None
        return self._look_up(token_ids, memory.keys[:, :, 0], memory.mask)

    def align_pairs(
        self,
        memory: AlignmentMemory,
        output: DecoderOutput,
        rows: Tensor,  # noqa: ARG002
        token_ids: Tensor,
    ) -> Tensor:
        return self.align_candidates(memory, output, token_ids[:, None])[:, 0]

    def _look_up(self, token_ids: Tensor, source_ids: Tensor, mask: Tensor) -> Tensor:
        """Distributions (B, K, C, S) of target tokens (B, K, C) over source tokens (B, S)."""
        weights = self.affinity[token_ids[..., None], source_ids[:, None, None]]
        real = mask[:, None, None].to(weights.dtype)
        total = (weights * real).sum(dim=-1, keepdim=True)
        return torch.where(total > 0, weights * real, real) / torch.where(
            total > 0, total, real.sum(dim=-1, keepdim=True)
        )
