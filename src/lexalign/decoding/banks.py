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


@dataclass(frozen=True, kw_only=True)
class Competition:
    """How candidates compete for slots: by banks alone, or a share of the slots by rank.

    By rank, every met token of a constraint counts as so many nats of `advantage`.
    """

    advantage: float = 0.0
    by_rank: float = 0.0

    def choose(self, ranks: Tensor, banks: Tensor, slots: int) -> Tensor:
        """Indexes (B, slots) of the chosen among candidates (B, C)."""
        if not self.by_rank:
            return allocate(ranks, banks, slots)
        count = ranks.shape[1]
        by_rank = max(1, int(self.by_rank * slots))
        best = (ranks + self.advantage * banks).topk(by_rank, dim=1).indices
        order = _places(count, ranks.device).expand_as(ranks)
        # Each candidate's place in the order of banks; the best by rank come before all others.
        places = torch.empty_like(order).scatter_(1, allocate(ranks, banks, count), order)
        places = places.scatter(1, best, order[:, :by_rank] - count)
        return places.topk(slots, dim=1, largest=False, sorted=True).indices


def allocate(ranks: Tensor, banks: Tensor, slots: int) -> Tensor:
    """Indexes (B, slots) of the chosen among candidates (B, C); those of rank -inf come last."""
    count = ranks.shape[1]
    ranks, by_rank = ranks.sort(dim=1, descending=True, stable=True)
    # In ascending order, with those that can never win at the end.
    banks = torch.where(ranks == _NEVER, float("inf"), -banks.gather(1, by_rank))
    banks, by_bank = banks.sort(dim=1, stable=True)
    depth = _places(count, banks.device) - torch.searchsorted(banks, banks)
    # Candidates stand fullest bank first, so among those of one depth the order is already right.
    order = torch.add(_places(count, banks.device), depth, alpha=count)
    order = order.masked_fill(banks == float("inf"), count**2)
    chosen = order.topk(slots, dim=1, largest=False, sorted=True).indices
    return by_rank.gather(1, by_bank.gather(1, chosen))


@cache
def _places(count: int, device: torch.device) -> Tensor:
    return torch.arange(count, device=device)
