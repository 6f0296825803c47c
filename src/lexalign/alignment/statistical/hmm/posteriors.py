"""Alignment posteriors under IBM model 1 and under the HMM, by the forward-backward algorithm.

The HMM's states are source positions, each in two forms: the target word is aligned to the position, or to
the null word while the position is kept (Och and Ney 2003). The next jump does not depend on the form, so the
forward pass carries their sum (with Rabiner's scaling), and one backward value is enough.

P: positions, that before the sentence and those of its words
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lexalign.alignment.statistical.hmm.parameters import Jumps

_TINY = 1e-30


@dataclass(frozen=True, eq=False)
class Posteriors:
    """The posteriors of a batch in one direction; zero at padding."""

    words: Tensor  # (B, T, S)
    nulls: Tensor  # (B, T)
    log_likelihood: Tensor  # of the batch
    jumps: tuple[Tensor, Tensor] | None = None  # expected counts: taken and offered, see `Jumps.add`


def ibm1_posteriors(
    emissions: Tensor, nulls: Tensor, source_mask: Tensor, target_mask: Tensor, null: float
) -> Posteriors:
    """`emissions` (B, T, S) are p(target | source), zero at padding, `nulls` (B, T) p(target | null)."""
    words = emissions * ((1 - null) / source_mask.sum(1))[:, None, None]
    null_emissions = nulls * null
    sums = (words.sum(2) + null_emissions).clamp_min(_TINY)
    scales = target_mask / sums
    likelihood = sums.log().where(target_mask, 0).sum(dtype=torch.float64)
    return Posteriors(words * scales[:, :, None], null_emissions * scales, likelihood)


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
    """The same as `ibm1_posteriors` for the HMM; with `learn`, also the expected counts of jumps."""
    # Padding of the target has probability 1, so that it changes nothing before it.
    by_step = _time_first(emissions, source_mask, target_mask)  # (T, B, P)
    null_emissions = null * nulls.masked_fill(~target_mask, 1).T.contiguous()  # (T, B)
    inside = torch.nn.functional.pad(source_mask, (1, 0)).to(by_step.dtype)  # (B, P)
    matrix = jumps.matrix(by_step.shape[2])
    leave = (1 - null) / (inside @ matrix.T).clamp_min(_TINY)  # (B, P)
    before, jumped, scales = _forward_pass(by_step, null_emissions, matrix, leave)
    after, arrivals, departures = _backward_pass(by_step, null_emissions, matrix, leave, scales)

    weights = target_mask.T / scales  # (T, B)
    words = jumped.mul_(arrivals).mul_(weights[:, :, None])  # (T, B, P)
    null_posteriors = torch.linalg.vecdot(before[:-1], after[1:]) * null_emissions * weights  # (T, B)
    jump_counts = None
    if learn:
        reached = before[:-1].mul_(leave).mul_(weights[:, :, None])
        taken = matrix * (reached.flatten(0, 1).T @ arrivals.flatten(0, 1))
        offered = departures.mul_(reached).sum(0) * leave / (1 - null)  # (B, P), from each position
        jump_counts = taken, offered.T @ inside
    likelihood = scales.log().sum(dtype=torch.float64)
    return Posteriors(words[:, :, 1:].transpose(0, 1), null_posteriors.T, likelihood, jump_counts)


def _time_first(emissions: Tensor, source_mask: Tensor, target_mask: Tensor) -> Tensor:
    batch, length, width = emissions.shape
    found = emissions.new_zeros(length, batch, width + 1)
    found[:, :, 1:] = emissions.transpose(0, 1)
    ended = (~target_mask).T[:, :, None] & torch.nn.functional.pad(source_mask, (1, 0))
    return found.masked_fill_(ended, 1)


def _forward_pass(
    by_step: Tensor, null_emissions: Tensor, matrix: Tensor, leave: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """p(position | targets up to here) (T + 1, B, P), before each target and after the last.

    Also the weights of positions after each jump (T, B, P), and scales (T, B).
    """
    before = by_step.new_zeros(len(by_step) + 1, *by_step.shape[1:])
    before[0, :, 0] = 1
    jumped = torch.empty_like(by_step)
    scales = torch.empty_like(null_emissions)
    for step in range(len(by_step)):
        torch.mm(before[step] * leave, matrix, out=jumped[step])
        state = jumped[step] * by_step[step]
        state.addcmul_(before[step], null_emissions[step][:, None])
        torch.sum(state, 1, out=scales[step])
        scales[step].clamp_min_(_TINY)
        torch.div(state, scales[step][:, None], out=before[step + 1])
    return before, jumped, scales


def _backward_pass(
    by_step: Tensor, null_emissions: Tensor, matrix: Tensor, leave: Tensor, scales: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Backward values (T + 1, B, P), and of jumps to each word and from each position (T, B, P)."""
    after = torch.empty(len(by_step) + 1, *by_step.shape[1:], dtype=by_step.dtype, device=by_step.device)
    after[-1] = 1
    arrivals, departures = torch.empty_like(by_step), torch.empty_like(by_step)
    transposed = matrix.T.contiguous()
    for step in range(len(by_step) - 1, -1, -1):
        torch.mul(by_step[step], after[step + 1], out=arrivals[step])
        torch.mm(arrivals[step], transposed, out=departures[step])
        state = departures[step] * leave
        state.addcmul_(after[step + 1], null_emissions[step][:, None])
        torch.div(state, scales[step][:, None], out=after[step])
    return after, arrivals, departures
