"""Lexical constraints, in text and in tokens."""

from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.alignment import Span

ConstraintKind = Literal["must", "prefer", "avoid"]


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """The translation of the `source` span has one of `targets`, or none of them if `kind` is avoid.

    Targets are whole words. `parts` are what may stand within a longer word instead: "-daten" at its end,
    "Daten-" at its beginning.
    """

    targets: tuple[str, ...]
    source: Span | None = None
    kind: ConstraintKind = "must"
    bonus: float = 1.0  # of a preferred constraint, in nats per token
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TokenConstraint:
    """A constraint in tokens.

    `beside` are targets behind a hyphen, a bracket or a quotation mark, where no space begins a word: no
    search looks for them, but a translation that has one has the term. `source` are the positions of its
    source tokens. A `whole` constraint is met only if the next token does
    not continue the word, so that "dog" is not met in "dogma".
    """

    alternatives: tuple[tuple[int, ...], ...]
    beside: tuple[tuple[int, ...], ...] = ()
    source: tuple[int, ...] | None = None
    kind: ConstraintKind = "must"
    bonus: float = 1.0
    whole: bool = True
