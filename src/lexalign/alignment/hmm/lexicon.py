"""How probably a word is translated by another, in both directions, and what comes from nothing.

A word that comes from nothing is as probable as it is frequent in the text. That is not learnt: to learn it
made no difference worth the code.

Translations are learnt by maximum likelihood. A Dirichlet prior (variational Bayes) helped a little without
agreement on a small development set, and did harm with it.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lexalign.alignment.hmm.bitext import Bitext, Side

_LEAST = 1e-9  # no translation that was seen is impossible


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Forward is p(target | source), backward p(source | target); `nulls` are p(word | nothing)."""

    forward: Tensor  # (W,)
    backward: Tensor  # (W,)
    target_nulls: Tensor  # (target vocabulary,)
    source_nulls: Tensor  # (source vocabulary,)


def uniform_lexicon(text: Bitext, num_parameters: int, device: torch.device) -> Lexicon:
    """All translations alike."""
    forward = torch.full((num_parameters,), 1 / text.target.vocabulary_size, device=device)
    backward = torch.full_like(forward, 1 / text.source.vocabulary_size)
    forward[0] = backward[0] = 0  # padding
    nulls = (_frequencies(side).to(device) for side in (text.target, text.source))
    return Lexicon(forward, backward, *nulls)


def normalized(counts: Tensor, givens: Tensor, num_givens: int) -> Tensor:
    """Counts (W,) over the sums of those that share a given word."""
    totals = torch.zeros(num_givens, device=counts.device).index_add_(0, givens, counts)
    found = (counts / totals.index_select(0, givens)).nan_to_num_(0.0).clamp_min_(_LEAST)
    found[0] = 0  # padding
    return found


def _frequencies(side: Side) -> Tensor:
    counts = np.bincount(side.ids, minlength=side.vocabulary_size)
    return torch.from_numpy((counts / max(1, counts.sum())).astype(np.float32))
