"""The seam between the beam-search loop and what it searches for."""

from typing import Protocol

from lexalign.decoding.scores import Candidates, TokenScores


class Policy(Protocol):
    def propose(self, scores: TokenScores, count: int) -> Candidates:
        """Candidates (B, count), best first, from which the loop ends and continues hypotheses."""
