"""Which candidates get the slots of a beam: the best of every bank, then the second of every bank, ...

    slots 4    bank 2: -9    bank 1: -5 -6    bank 0: -1 -2 -3    chosen: -9 -5 -1 -6

The fullest bank comes first, so however few the slots are, whoever is furthest with the constraints goes on;
what a bank cannot fill goes to the others. With a single bank these are the best candidates.
"""

from dataclasses import dataclass

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
        order = torch.arange(count, device=ranks.device).expand_as(best.new_empty(len(best), count))
        # Each candidate's place in the order of banks; the best by rank come before all others.
        places = torch.empty_like(order).scatter_(1, allocate(ranks, banks, count), order)
        places = places.scatter(1, best, order[:, :by_rank] - count)
        return places.topk(slots, dim=1, largest=False, sorted=True).indices


def allocate(ranks: Tensor, banks: Tensor, slots: int) -> Tensor:
    """Indexes (B, slots) of the chosen among candidates (B, C); those of rank -inf come last."""
    ranks, by_rank = ranks.sort(dim=1, descending=True, stable=True)
    banks = banks.gather(1, by_rank).masked_fill(ranks == _NEVER, -1.0)
    banks, by_bank = banks.sort(dim=1, descending=True, stable=True)
    place = torch.arange(banks.shape[1], device=banks.device).expand_as(banks)
    opens = torch.ones_like(banks, dtype=torch.bool)
    opens[:, 1:] = banks[:, 1:] != banks[:, :-1]
    depth = place - torch.where(opens, place, 0).cummax(dim=1).values
    # Candidates stand fullest bank first, so among those of one depth the order is already right.
    order = (depth * banks.shape[1] + place).masked_fill(banks < 0, banks.shape[1] ** 2)
    chosen = order.topk(slots, dim=1, largest=False, sorted=True).indices
    return by_rank.gather(1, by_bank.gather(1, chosen))
