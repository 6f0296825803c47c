"""Which candidates get the slots of a beam: the best of every bank, then the second of every bank, ...

    slots 4    bank 2: -9    bank 1: -5 -6    bank 0: -1 -2 -3    chosen: -9 -5 -1 -6

The fullest bank comes first, so however few the slots are, whoever is furthest with the constraints goes on;
what a bank cannot fill goes to the others. With a single bank these are the best candidates.
"""

import torch
from torch import Tensor

_NEVER = float("-inf")


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
