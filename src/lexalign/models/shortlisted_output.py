"""The output projection over the shortlists of a batch.

The weights of all tokens that are on any of the shortlists are packed once for the batch and multiplied
together: one product of some thousand columns is faster than a small one for each sentence. Each sentence
then gets the columns of its own shortlist, so that its scores do not depend on the others.
"""

import torch
from torch import Tensor

from lexalign.contracts.shortlist import Shortlist
from lexalign.models.projection import Projection
from lexalign.weights import Weight

# Kernels are made for each number of columns, and kept.
_COLUMNS_MULTIPLE = 256


class ShortlistedOutput:
    """The logits (B, K, C) of the tokens on each sentence's shortlist."""

    def __init__(self, projection: Projection, weight: Weight, shortlist: Shortlist) -> None:
        self.shortlist = shortlist
        listed = (~shortlist.excluded).any(dim=0)  # (V,)
        on_any = listed.nonzero()[:, 0]
        missing = -len(on_any) % _COLUMNS_MULTIPLE
        self._product = projection.select(weight, torch.cat([on_any, on_any[:1].expand(missing)]))
        self._columns = (listed.cumsum(dim=0) - 1)[shortlist.token_ids]  # (B, C)

    def __call__(self, x: Tensor) -> Tensor:
        columns = self._columns[:, None].expand(-1, x.shape[1], -1)
        logits: Tensor = self._product(x).gather(2, columns)
        return logits.masked_fill_(self.shortlist.empty[:, None], float("-inf"))

    def keep(self, sentence_index: Tensor) -> None:
        self.shortlist.keep(sentence_index)
        self._columns = self._columns[sentence_index]

    def __deepcopy__(self, memo: object) -> "ShortlistedOutput":
        return self  # a step changes nothing here


class MaskedOutput:
    """The logits (B, K, V) of all tokens, -inf for those that are not on a sentence's shortlist.

    For a static state, whose shapes must not depend on the sentences.
    """

    def __init__(self, projection: Projection, shortlist: Shortlist) -> None:
        self._projection, self._excluded = projection, shortlist.excluded[:, None]
        self.shortlist = None

    def __call__(self, x: Tensor) -> Tensor:
        logits: Tensor = self._projection(x)
        return logits.masked_fill_(self._excluded, float("-inf"))

    def restart(self, shortlist: Shortlist) -> None:
        self._excluded.copy_(shortlist.excluded[:, None])

    def keep(self, sentence_index: Tensor) -> None:
        self._excluded = self._excluded[sentence_index]
