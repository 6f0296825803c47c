"""Plain beam search: the best continuations, whatever they are."""

from lexalign.decoding.scores import Candidates, TokenScores


class Unconstrained:
    def propose(self, scores: TokenScores, count: int) -> Candidates:
        return scores.top(count)
