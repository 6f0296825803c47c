"""What a text meets of its constraints, by looking for substrings again and again."""

from collections.abc import Sequence
from dataclasses import dataclass

from lexalign.contracts.constraint import TokenConstraint

FREE = -7  # stands in a hypothesis's view for a token that serves no constraint

Text = tuple[int, ...]


@dataclass(frozen=True)
class Rules:
    """A sentence's constraints of one kind, and which tokens continue a word."""

    constraints: Sequence[TokenConstraint]
    continuing: frozenset[int] = frozenset()
    ordered: bool = False

    def chains(self) -> list[list[int]]:
        """Constraints that are met one after another; alone where a constraint is free of others."""
        numbers = list(range(len(self.constraints)))
        if self.ordered:
            return [numbers]
        alike: dict[object, list[int]] = {}
        for number in numbers:
            constraint = self.constraints[number]
            alike.setdefault((frozenset(constraint.alternatives), constraint.whole), []).append(number)
        return list(alike.values())

    def spans(self, tokens: Text, view: Text, after: int | None = None) -> dict[int, tuple[int, int]]:
        """Where each constraint is met, if `after` is the next token; None stands for an end."""
        met: dict[int, tuple[int, int]] = {}
        for chain in self.chains():
            start = 0
            for number in chain:
                span = self._earliest(number, tokens, view, after, start)
                if span is None:
                    break
                met[number] = span
                start = span[1]
        return met

    def wanted(self, met: dict[int, tuple[int, int]]) -> list[int]:
        firsts = ([number for number in chain if number not in met] for chain in self.chains())
        return [numbers[0] for numbers in firsts if numbers]

    def value(self, tokens: Text, view: Text, rate: str = "") -> tuple[float, float]:
        """Of what is met, and of the best of what is begun; `bonus` for each token, or 1."""
        met = self.spans(tokens, view)
        kept = sum(self._rate(number, rate) * self._fewest(number) for number in met)
        begun = [0.0]
        for chain in self.chains():
            ahead = [number for number in chain if number not in met]
            if not ahead:
                continue
            behind = max((met[number][1] for number in chain if number in met), default=0)
            begun.append(self._gain(ahead[0], view[behind:]) * self._rate(ahead[0], rate))
        return kept, max(begun)

    def moves(self, tokens: Text, view: Text, token: int) -> list[int]:
        """The wanted constraints that the token would serve."""
        wanted = self.wanted(self.spans(tokens, view, after=token))
        return [
            number
            for number in wanted
            if any(
                form[size] == token and view[len(view) - size :] == form[:size]
                for form in self.constraints[number].alternatives
                for size in range(min(len(form), len(view) + 1))
            )
        ]

    def continues(self, view: Text, token: int, number: int) -> bool:
        """Whether the token goes on with the longest beginning at hand, and that is one of the constraint."""
        size = max(
            size
            for constraint in self.constraints
            for form in constraint.alternatives
            for size in range(min(len(form), len(view)) + 1)
            if view[len(view) - size :] == form[:size]
        )
        return size > 0 and any(
            form[:size] == view[len(view) - size :] and form[size : size + 1] == (token,)
            for form in self.constraints[number].alternatives
        )

    def total(self) -> int:
        return sum(map(self._fewest, range(len(self.constraints))))

    def _earliest(
        self, number: int, tokens: Text, view: Text, after: int | None, start: int
    ) -> tuple[int, int] | None:
        constraint = self.constraints[number]
        for end in range(start + 1, len(view) + 1):
            following = tokens[end] if end < len(tokens) else after
            if constraint.whole and following in self.continuing:
                continue
            for form in sorted(constraint.alternatives, key=len):
                if end - len(form) >= start and view[end - len(form) : end] == form:
                    return end - len(form), end
        return None

    def _fewest(self, number: int) -> int:
        return min(map(len, self.constraints[number].alternatives))

    def _rate(self, number: int, rate: str) -> float:
        return self.constraints[number].bonus if rate == "bonus" else 1.0

    def _gain(self, number: int, view: Text) -> int:
        """How many tokens fewer are needed than at first, with the longest beginning at hand."""
        gains = [0]
        for form in self.constraints[number].alternatives:
            for size in range(1, min(len(form), len(view) + 1)):
                if view[len(view) - size :] == form[:size]:
                    gains.append(self._fewest(number) - (len(form) - size))
        return max(gains)


def completes(
    tokens: Text, avoid: Sequence[TokenConstraint], continuing: frozenset[int], ended: bool
) -> bool:
    """Whether a phrase to avoid is complete in the text, which has ended or may go on."""
    for constraint in avoid:
        for form in constraint.alternatives:
            for end in range(len(form), len(tokens) + 1):
                if tokens[end - len(form) : end] != form:
                    continue
                if not constraint.whole or not continuing:
                    return True
                if end == len(tokens):
                    if ended:
                        return True
                elif tokens[end] not in continuing:
                    return True
    return False
