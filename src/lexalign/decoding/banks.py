"""Which candidates get the slots of a beam: the best of every bank, then the second of every bank, ...

    slots 4    bank 2: -9    bank 1: -5 -6    bank 0: -1 -2 -3    chosen: -9 -5 -1 -6

The fullest bank comes first, so however few the slots are, whoever is furthest with the constraints goes on;
what a bank cannot fill goes to the others. With a single bank these are the best candidates.
"""

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

_NEVER = float("-inf")
# Not all of a cost, lest those that have said nothing but terms be level, and rounding decide.
REFUNDED = 0.99


@dataclass(frozen=True, kw_only=True)
class Competition:
    """How candidates compete for slots: by banks alone, or a share of the slots by rank.

    Half of this share goes to those that are best if every met token of a constraint counts as so many nats
    of `advantage`, the other half to those that are best if it counts as what it cost, and no more than that.
    """

    advantage: float = 0.0
    by_rank: float = 0.0

    def refund(self, banks: Tensor, costs: Tensor) -> Tensor:
        """What met tokens have cost, where they count as that."""
        return torch.minimum(self.advantage * banks, -REFUNDED * costs)

    def choose(self, ranks: Tensor, banks: Tensor, costs: Tensor | None, slots: int) -> Tensor:
        """Indexes (B, slots) of the chosen among candidates (B, C)."""
        if not self.by_rank or costs is None:
            return allocate(ranks, banks, slots)
        by_rank = max(1, int(self.by_rank * slots))
        first = (by_rank + 1) // 2
        best = (ranks + self.advantage * banks).topk(first, dim=1).indices
        others = (ranks + self.refund(banks, costs)).scatter_(1, best, _NEVER)
        best = torch.cat([best, others.topk(by_rank - first, dim=1).indices], dim=1)
        # Each candidate's turn in the order of banks; the best by rank come before all others.
        turns, index = _take_turns(ranks, banks)
        turns = torch.empty_like(turns).scatter_(1, index, turns)
        turns.scatter_(1, best, _places(by_rank, ranks.device).expand_as(best) - by_rank)
        return turns.topk(slots, dim=1, largest=False, sorted=True).indices


def allocate(ranks: Tensor, banks: Tensor, slots: int) -> Tensor:
    """Indexes (B, slots) of the chosen among candidates (B, C); those of rank -inf come last."""
    turns, index = _take_turns(ranks, banks)
    return index.gather(1, turns.topk(slots, dim=1, largest=False, sorted=True).indices)


def _take_turns(ranks: Tensor, banks: Tensor) -> tuple[Tensor, Tensor]:
    """Numbers (B, C), the lower the sooner, and the candidates (B, C) whose turn it then is."""
    count = ranks.shape[1]
    ranks, by_rank = ranks.sort(dim=1, descending=True, stable=True)
    # In ascending order, with those that can never win at the end.
    banks = torch.where(ranks == _NEVER, float("inf"), -banks.gather(1, by_rank))
    banks, by_bank = banks.sort(dim=1, stable=True)
    place = _places(count, banks.device)
    depth = place - torch.searchsorted(banks, banks)
    # Candidates stand fullest bank first, so among those of one depth the order is already right.
    turns = torch.add(place, depth, alpha=count).masked_fill(banks == float("inf"), count**2)
    return turns, by_rank.gather(1, by_bank)


@cache
def _places(count: int, device: torch.device) -> Tensor:
    return torch.arange(count, device=device)
