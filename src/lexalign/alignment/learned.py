"""Learned alignment heads: an attention sub-layer without values, on top of a frozen model.

PostAln (Chatterjee et al. 2022, section 2.2): for token y and the decoder's state g_t before it,

    query    [g_t, e(y)] W_Q = g_t W_Q1 + e(y) W_Q2          keys    source states W_K
    P(a_t)   mean over heads of softmax(query keys^T / sqrt(D/H))

so the two halves of the query are separate: one projection for each hypothesis, and one for each vocabulary
entry, made once. PriorATT leaves out e(y); ShiftAET (Chen et al. 2020) takes the state one step later, which
has been fed y.
"""

import math
from typing import ClassVar

import torch
from torch import Tensor, nn

from lexalign.contracts.alignment import Delay
from lexalign.kernel_shapes import enough_rows, mean_of_heads, row_products, row_softmax, steady_log


class AlignmentHead(nn.Module):
    """A head whose query is a projection of the decoder's state alone."""

    kind: ClassVar[str]
    delay: ClassVar[Delay]

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"width {width} is not a multiple of {heads} heads")
        self.width, self.heads = width, heads
        self.key, self.state = _projection(width), _projection(width)

    def keys(self, source_states: Tensor) -> Tensor:
        """Keys (B, H, S, D/H) of source states (B, S, D), once per sentence, with the scale of the softmax.

        They are contiguous, or every step of a search would have to copy them.
        """
        scale = math.sqrt(self.width // self.heads)
        return (self._split(_project(self.key, source_states)) / scale).contiguous()

    def query(self, states: Tensor, token_embeddings: Tensor) -> Tensor:  # noqa: ARG002
        """Queries of states (B, T, D) and of the embeddings (B, T, D) of the tokens that are aligned."""
        return self.state_query(states)

    def state_query(self, states: Tensor) -> Tensor:
        return _project(self.state, states)

    def forward(self, states: Tensor, token_embeddings: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        """Log-probabilities (B, T, S) over the real source tokens, for training."""
        scores = self._scores(self.query(states, token_embeddings), keys, mask)
        return torch.log_softmax(scores, dim=-1).logsumexp(dim=1) - math.log(self.heads)

    def attend(self, queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        """Probabilities (B, Q, S) of queries (B, Q, D)."""
        return mean_of_heads(row_softmax(self._scores(queries, keys, mask)))

    def _scores(self, queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
        """Attention scores (B, H, Q, S)."""
        scores = row_products(self._split(queries), keys).float()
        # Finite, because the gradient of a mean over heads that are all -inf would not be a number.
        return torch.where(mask[:, None, None], scores, torch.finfo(torch.float32).min / 4)

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], self.heads, -1).transpose(1, 2)


class PriorHead(AlignmentHead):
    """PriorATT: the query does not depend on the token that is aligned."""

    kind = "prior-att"
    delay = 0


class ShiftHead(AlignmentHead):
    """ShiftAET: the states are those of the step that is fed the token."""

    kind = "shift-aet"
    delay = 1


class PosteriorHead(AlignmentHead):
    """PostAln: 3·D² parameters."""

    kind = "post-aln"
    delay = 0

    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)
        self.token = _projection(width)

    def query(self, states: Tensor, token_embeddings: Tensor) -> Tensor:
        return self.state_query(states) + self.token_query(token_embeddings)

    def token_query(self, token_embeddings: Tensor) -> Tensor:
        return _project(self.token, token_embeddings)


HEADS: dict[str, type[AlignmentHead]] = {head.kind: head for head in (PriorHead, ShiftHead, PosteriorHead)}


def alignment_loss(log_probabilities: Tensor, links: Tensor) -> tuple[Tensor, Tensor]:
    """The cross-entropy of (B, T, S) with links (B, T, S), summed, and the number of rows that it sums.

    A target token's links share a probability mass of 1; tokens without a link have no loss.
    """
    counts = links.sum(dim=-1, dtype=torch.float32)  # (B, T)
    shares = links / counts.clamp(min=torch.finfo(torch.float32).tiny)[..., None]
    # Padding is close to log 0, and 0 · log 0 counts as 0.
    losses = torch.where(links > 0, shares * log_probabilities, 0.0).sum(dim=(-1, -2))
    return -losses.sum(), (counts > 0).sum()


def apply_temperature(probabilities: Tensor, temperature: float) -> Tensor:
    """Distributions to the power 1/temperature, normalised again."""
    if temperature == 1.0:
        return probabilities
    # Not by a sum of powers: a softmax gives the same whatever the number of zeros at the end.
    return row_softmax(steady_log(probabilities) / temperature)


def _projection(width: int) -> nn.Linear:
    projection = nn.Linear(width, width, bias=False)
    nn.init.xavier_uniform_(projection.weight)
    return projection


def _project(projection: nn.Linear, x: Tensor) -> Tensor:
    """The projection in the head's own precision, whatever the model's is."""
    rows = x.to(projection.weight.dtype).flatten(0, -2)
    projected: Tensor = projection(enough_rows(rows))[: len(rows)]
    return projected.view(*x.shape[:-1], -1)
