"""What may still become of running hypotheses, by which a search knows when to stop.

A final score is an average over tokens, and perhaps a part that is settled, as what constraints cost:

    (log-probability + bias) / length**penalty + settled

A log-probability only falls, so none reaches more than it would at the length limit: an exact search goes on
as long as that is better than what has ended. Most searches are content with less, and compare hypotheses
token for token, as they would be if they ended as soon as they may. A hypothesis of 8 tokens and -8.0, with a
limit of 40, that has yet to generate a constraint of 2 tokens, against one that has ended with -0.9:

    exact              -8.0 / 40          = -0.20    go on
    token for token    -8.0 / (8 + 2 + 1) = -0.73    go on
    and the same with -11.0               = -1.00    stop, unless it is to be exact
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Prospects:
    """Of hypotheses (B, K); what is None is nothing."""

    bias: Tensor | None = None  # the most that will come to the log-probability
    settled: Tensor | None = None  # the most that will come to the average
    missing: Tensor | None = None  # tokens without which they may not end
    rising: Tensor | None = None  # (B,), whether averages are still to rise, and say little
    over_zero: bool = False  # whether a log-probability and its bias may be


def reach(
    scores: Tensor, prospects: Prospects, clock: Tensor, limits: Tensor, length_penalty: float, *, exact: bool
) -> Tensor:
    """The best final score (B,) that hypotheses (B, K) after `clock` tokens can have, or are expected to."""
    now, last = (clock + 1)[:, None], limits[:, None]  # the lengths with an end of sentence
    if exact:
        lengths = last
    else:
        lengths = now if prospects.missing is None else now + prospects.missing
        if prospects.rising is not None:
            lengths = torch.where(prospects.rising[:, None], last, lengths)
    ranks = scores if prospects.bias is None else scores + prospects.bias
    if prospects.over_zero:
        # What is over zero is the better the shorter it is.
        lengths = torch.where(ranks < 0, lengths, now)
    finals = ranks / lengths.float() ** length_penalty
    if prospects.settled is not None:
        finals = finals + prospects.settled
    return finals.amax(dim=1)
