"""The result of a search."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """A translation in tokens; end of sentence is scored but not listed."""

    token_ids: tuple[int, ...]
    score: float  # the log-probability after the length penalty, by which hypotheses are ranked
    log_probability: float  # of all tokens, end of sentence included
    token_log_probabilities: tuple[float, ...]  # one for each token, and one for end of sentence
    complete: bool = True  # False where the length limit ended it
