"""How probably each source word is where a target word comes from, under IBM model 1 and under the HMM.

The HMM's states are source positions, each in two forms: this target word comes from there, or it comes from
nothing and the position is only remembered (Och and Ney 2003). Where the chain goes on from does not depend
on the form, so their sum is carried forward (Rabiner's scaled recursions), and one backward value is enough.

P: positions, that before the sentence and those of its words
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.alignment.statistical.hmm.parameters import Jumps

_TINY = 1e-30


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Zero at padding."""

    words: Tensor  # (B, T, S)
    nulls: Tensor  # (B, T)
    log_likelihood: Tensor  # of the batch
    jumps: tuple[Tensor, Tensor] | None = None  # where they are learnt: taken and offered, see `Jumps.add`


def ibm1_posteriors(
    emissions: Tensor, nulls: Tensor, source_mask: Tensor, target_mask: Tensor, null: float
) -> Posteriors:
    """`emissions` (B, T, S) are p(target | source), zero at padding, `nulls` (B, T) p(target | nothing)."""
    words = emissions * ((1 - null) / source_mask.sum(1))[:, None, None]
    nothing = nulls * null
    sums = (words.sum(2) + nothing).clamp_min(_TINY)
    scales = target_mask / sums
    likelihood = sums.log().where(target_mask, 0).sum(dtype=torch.float64)
    return Posteriors(words * scales[:, :, None], nothing * scales, likelihood)


def hmm_posteriors(
    emissions: Tensor,
    nulls: Tensor,
    source_mask: Tensor,
    target_mask: Tensor,
    jumps: Jumps,
    null: float,
    *,
    learn: bool = False,
) -> Posteriors:
    """As `ibm1_posteriors`; on request with what is to be learnt of jumps."""
    # Behind a target's end every word is certain: nothing there changes what comes before.
    seen = _time_first(emissions, source_mask, target_mask)  # (T, B, P)
    nothing = null * nulls.masked_fill(~target_mask, 1).T.contiguous()  # (T, B)
    inside = torch.nn.functional.pad(source_mask, (1, 0)).to(seen.dtype)  # (B, P)
    matrix = jumps.matrix(seen.shape[2])
    leave = (1 - null) / (inside @ matrix.T).clamp_min(_TINY)  # (B, P)
    before, scales = _ahead(seen, nothing, matrix, leave)
    after, arrivals = _back(seen, nothing, matrix, leave, scales)

    reached = (before[:-1] * leave) / scales[:, :, None]  # (T, B, P)
    words = torch.matmul(reached, matrix) * arrivals  # (T, B, P)
    missing = (before[:-1] * after[1:]).sum(2) * nothing / scales  # (T, B)
    present = target_mask.T.to(seen.dtype)
    learnt = None
    if learn:
        reached = reached * present[:, :, None]
        taken = matrix * (reached.flatten(0, 1).T @ arrivals.flatten(0, 1))
        going = (reached * torch.matmul(arrivals, matrix.T)).sum(0)  # (B, P) jumps from each position
        learnt = taken, (going * leave / (1 - null)).T @ inside
    words = (words * present[:, :, None])[:, :, 1:].transpose(0, 1)
    return Posteriors(words, (missing * present).T, scales.log().sum(dtype=torch.float64), learnt)


def _time_first(emissions: Tensor, source_mask: Tensor, target_mask: Tensor) -> Tensor:
    batch, length, width = emissions.shape
    found = emissions.new_zeros(length, batch, width + 1)
    found[:, :, 1:] = emissions.transpose(0, 1)
    ended = (~target_mask).T[:, :, None] & torch.nn.functional.pad(source_mask, (1, 0))
    return found.masked_fill_(ended, 1)


def _ahead(seen: Tensor, nothing: Tensor, matrix: Tensor, leave: Tensor) -> tuple[Tensor, Tensor]:
    """p(position | targets up to here) (T + 1, B, P) before each target and after the last; scales (T, B)."""
    before = seen.new_zeros(len(seen) + 1, *seen.shape[1:])
    before[0, :, 0] = 1
    scales = torch.empty_like(nothing)
    for step in range(len(seen)):
        state = torch.mm(before[step] * leave, matrix).mul_(seen[step])
        state.addcmul_(before[step], nothing[step][:, None])
        torch.sum(state, 1, out=scales[step])
        scales[step].clamp_min_(_TINY)
        torch.div(state, scales[step][:, None], out=before[step + 1])
    return before, scales


def _back(
    seen: Tensor, nothing: Tensor, matrix: Tensor, leave: Tensor, scales: Tensor
) -> tuple[Tensor, Tensor]:
    """The recursion from the end (T + 1, B, P), and its part that a jump to each word brings (T, B, P)."""
    after = torch.empty(len(seen) + 1, *seen.shape[1:], dtype=seen.dtype, device=seen.device)
    after[-1] = 1
    arrivals = torch.empty_like(seen)
    turned = matrix.T.contiguous()
    for step in range(len(seen) - 1, -1, -1):
        torch.mul(seen[step], after[step + 1], out=arrivals[step])
        state = torch.mm(arrivals[step], turned).mul_(leave)
        state.addcmul_(after[step + 1], nothing[step][:, None])
        torch.div(state, scales[step][:, None], out=after[step])
    return after, arrivals
