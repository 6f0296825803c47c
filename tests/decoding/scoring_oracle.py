"""What a hypothesis of the oracle's search is worth, and what its tokens are, by the book."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from lexalign.decoding.policies.coverage import CHARGE, FREE_SHARE
from lexalign.decoding.policies.guided import BOUNDARY_COST, BREAKING, NATURAL_TOKENS, SHARPNESS

from .exhaustive import EOS, START
from .matching_oracle import FREE, Rules, Text

Mass = Callable[[int, int], float]  # of a token on a source position


@dataclass(frozen=True)
class Partial:
    """A hypothesis; `view` is its text with FREE for what serves no constraint."""

    score: float = 0.0
    weight: float = 0.0
    tokens: Text = ()
    view: Text = ()
    cost: float = 0.0  # of the tokens that brought constraints nearer
    num_costly: int = 0  # how many these are


Pairs = list[tuple[Partial, int]]


@dataclass(frozen=True)
class Scoring:
    mass: Mass
    temperature: float
    threshold: float
    joint: bool
    guided: bool = False
    content: tuple[int, ...] = ()  # source positions that are to be covered
    boundary: int | None = None  # the token that is the beginning of a word and nothing else


class ScoringOracle:
    """Of one sentence."""

    table: torch.Tensor
    must: Rules
    continuing: frozenset[int]
    limit: int
    scoring: Scoring | None

    def exclusion(self, hypothesis: Partial, token: int) -> float:
        assert self.scoring is not None
        if not self.scoring.guided:
            return 0.0
        breaking = BREAKING if self.has_begun(hypothesis) or self.undoes(hypothesis, token) else 0.0
        places = {place for c in self.must.constraints for place in c.source or ()}
        mass = sum(self.scoring.mass(token, place) for place in sorted(places))
        return float(torch.log1p(-torch.tensor(mass).clamp(0.0, 0.99))) / self.scoring.temperature - breaking

    def has_begun(self, hypothesis: Partial) -> bool:
        return self.must.value(hypothesis.tokens, hypothesis.view)[1] > 0

    def score_serving(self, hypothesis: Partial, token: int, step: int, allowed: Pairs) -> float | None:
        assert self.scoring is not None
        if self.scoring.guided:
            return max(
                self.score_guided(hypothesis, token, number, allowed)
                for number in self.served(hypothesis, token)
            )
        mass = max(self.mass(token, number) for number in self.served(hypothesis, token))
        weight = float(torch.tensor(mass).clamp(1e-12, 1.0).log()) / self.scoring.temperature
        best = max(self.next(*pair) for pair in allowed if pair[0] is hypothesis)
        secure, begun = self.must.value(hypothesis.tokens, hypothesis.view)
        cramped = self.must.total() - secure >= self.limit - step - 1
        urgent = self.next(hypothesis, EOS) >= best or begun > 0 or cramped
        passes = float(torch.tensor(weight).exp()) >= self.scoring.threshold
        return weight if passes or urgent else None

    def score_guided(self, hypothesis: Partial, token: int, number: int, allowed: Pairs) -> float:
        """What is added to the model's log-probability of a token that serves a constraint."""
        assert self.scoring is not None
        own = self.next(hypothesis, token) - hypothesis.score
        if not self.must.constraints[number].source:
            return 0.0
        continues = self.must.continues(hypothesis.view, token, number)
        begun = self.has_begun(hypothesis)
        if continues and not begun:
            return 0.0
        rivals = [
            self.next(hypothesis, other) - hypothesis.score
            for one, other in allowed
            if one is hypothesis
            and number in self.served(hypothesis, other)
            and self.must.continues(hypothesis.view, other, number) == continues
        ]
        share = own - float(torch.tensor(rivals).logsumexp(dim=0))
        due = float(torch.tensor(self.due(hypothesis, number, allowed)).clamp(1e-4, 1.0).log())
        if continues:
            return share - own + (SHARPNESS * due if self.at_boundary(hypothesis) else 0.0)
        if token == self.scoring.boundary:
            return -BOUNDARY_COST - (BREAKING if begun else 0.0)
        if token in self.continuing:  # the end of a compound is the model's own word
            return -BREAKING if begun else 0.0
        return SHARPNESS * due + share - own - (BREAKING if begun else 0.0)

    def natural(self, hypothesis: Partial, allowed: Pairs) -> list[tuple[int, float]]:
        """The tokens that would come now, with their probabilities among each other."""
        tokens = [token for other, token in allowed if other is hypothesis]
        tokens = sorted(tokens, key=lambda token: -self.next(hypothesis, token))[:NATURAL_TOKENS]
        shares = torch.softmax(torch.tensor([self.next(hypothesis, token) for token in tokens]), dim=0)
        return list(zip(tokens, shares.tolist(), strict=True))

    def at_boundary(self, hypothesis: Partial) -> bool:
        """Whether a word's beginning alone is there of constraints."""
        assert self.scoring is not None
        forms = [form for constraint in self.must.constraints for form in constraint.alternatives]
        ends = [hypothesis.view[-size:] for size in range(1, len(hypothesis.view) + 1)]
        begun = [end for end in ends if any(form[: len(end)] == end for form in forms)]
        return bool(begun) and begun[-1] == (self.scoring.boundary,)

    def due(self, hypothesis: Partial, number: int, allowed: Pairs) -> float:
        """The mass of the tokens that would come now with a word on what a constraint translates."""
        any_token = self.at_boundary(hypothesis)
        return float(
            sum(
                share * self.mass(other, number)
                for other, share in self.natural(hypothesis, allowed)
                if any_token or other not in self.continuing
            )
        )

    def mass(self, token: int, number: int) -> float:
        constraint = self.must.constraints[number]
        if not constraint.source:
            return 1.0
        alike = [c for c in self.must.constraints if set(c.alternatives) == set(constraint.alternatives)]
        places = sorted({place for c in alike for place in c.source or ()})
        assert self.scoring is not None
        return sum(self.scoring.mass(token, place) for place in places)

    def uncovered(self, hypothesis: Partial) -> float:
        """What is paid for source tokens that nothing comes from."""
        scoring = self.scoring
        if scoring is None or not self.must.constraints:
            return 0.0
        sources = {place for constraint in self.must.constraints for place in constraint.source or ()}
        content = [place for place in scoring.content if place not in sources]
        if not content:
            return 0.0
        pairs = zip(hypothesis.tokens, hypothesis.view, strict=True)
        free = [token for token, seen in pairs if seen == FREE]
        masses = [sum(scoring.mass(token, place) for token in free) for place in content]
        share = sum(max(1 - mass, 0.0) for mass in masses) / len(masses)
        return CHARGE * max(share - FREE_SHARE, 0.0)

    def num_met_tokens(self, hypothesis: Partial) -> float:
        return sum(self.must.value(hypothesis.tokens, hypothesis.view))

    def undoes(self, hypothesis: Partial, token: int) -> bool:
        """Whether a token goes on with the last word of a constraint that is met otherwise."""
        if token not in self.continuing:
            return False
        now, then = (self.must.spans(hypothesis.tokens, hypothesis.view, after) for after in (None, token))
        return len(then) < len(now)

    def served(self, hypothesis: Partial, token: int) -> list[int]:
        return self.must.moves(hypothesis.tokens, hypothesis.view, token)

    def next(self, hypothesis: Partial, token: int) -> float:
        return hypothesis.score + self.lookup(hypothesis, token)

    def lookup(self, hypothesis: Partial, token: int) -> float:
        last = hypothesis.tokens[-1] if hypothesis.tokens else START
        return float(self.table[len(hypothesis.tokens), last, token])
