"""What a user asks of a translation, as text and as a search sees it."""

from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.alignment import Span

ConstraintKind = Literal["must", "prefer", "avoid"]


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """One of `targets` in the translation (or, to avoid, none of them), for the `source` characters."""

    targets: tuple[str, ...]
    source: Span | None = None
    kind: ConstraintKind = "must"
    bonus: float = 1.0  # of a preferred one, in nats for each of its tokens


@dataclass(frozen=True, kw_only=True)
class TokenConstraint:
    """A constraint in tokens.

    `source` are the positions of its source tokens. A `whole` constraint is met only where no token that
    continues a word follows it, so that "dog" is not met in "dogma".
    """

    alternatives: tuple[tuple[int, ...], ...]
    source: tuple[int, ...] | None = None
    kind: ConstraintKind = "must"
    bonus: float = 1.0
    whole: bool = True
