"""When a search stops: the best score that running hypotheses may still reach.

A final score is an average over tokens, and perhaps a constant part, as what constraints cost:

    (log-probability + bias) / length**penalty + constant

Tokens of constraints are settled: their cost is in the constant part, and the length does not count them. A
log-probability only falls, so none reaches more than it would at the length limit: an exact search goes on as
long as that is better than what has ended. Most searches are content with less, and compare hypotheses token
for token, as they would be if they ended now. A hypothesis of 8 tokens and -8.0, with a limit of 40, that has
a constraint of 2 tokens behind it, against one that has ended with -1.2:

    exact              -8.0 / 40          = -0.20    go on
    token for token    -8.0 / (8 - 2 + 1) = -1.14    go on
    and the same with -11.0               = -1.57    stop, unless it is to be exact
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class StoppingBound:
    """What bounds the final scores of hypotheses (B, K); what is None is nothing."""

    bias: Tensor | None = None  # the most that will come to the log-probability
    constant: Tensor | None = None  # the most that will come to the average
    num_settled: Tensor | None = None  # tokens that the average does not count
    rising: Tensor | None = None  # (B,), whether averages are still to rise, and say little
    over_zero: bool = False  # whether a log-probability and its bias may be

    def best_reachable(
        self, scores: Tensor, clock: Tensor, limits: Tensor, length_penalty: float, *, exact: bool
    ) -> Tensor:
        """The best final score (B,) that hypotheses (B, K) after `clock` tokens can have, or should have."""
        now, last = (clock + 1)[:, None], limits[:, None]  # the lengths with an end of sentence
        if self.num_settled is not None:
            now = now - self.num_settled
        lengths = last if exact else now
        if self.rising is not None and not exact:
            lengths = torch.where(self.rising[:, None], last, lengths)
        ranks = scores if self.bias is None else scores + self.bias
        if self.over_zero:
            # What is over zero is the better the shorter it is.
            lengths = torch.where(ranks < 0, lengths, now)
        finals = ranks / lengths.float() ** length_penalty
        if self.constant is not None:
            finals = finals + self.constant
        return finals.amax(dim=1)
