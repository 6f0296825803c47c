"""A sentence's constraints, sorted by kind, without those that nothing could meet.

With `avoid b`, the constraint `a b | a c` keeps only the form `a c`, and `b` alone is contradictory.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import UnmetReason
from lexalign.contracts.model import Vocabulary

MAX_CONSTRAINTS = 63  # the bits of a mask
MAX_TOKENS = 1024

Phrase = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Matching:
    """When a constraint counts as met.

    `continues_word` (V,) marks the tokens that continue a word; a whole constraint is not met where such a
    token follows it. `boundary_id` is the token that is nothing but the beginning of a word, if there is one.
    `ordered` constraints must be met in the order in which they are given.
    """

    continues_word: Tensor | None = None
    boundary_id: int | None = None
    ordered: bool = False

    @cached_property
    def continuing(self) -> frozenset[int]:
        """The tokens that continue a word."""
        words = self.continues_word
        return frozenset(() if words is None else words.nonzero()[:, 0].tolist())


@dataclass(slots=True, kw_only=True)
class RequiredPhrase:
    """A constraint that a search works for; `position` is its position among the sentence's constraints."""

    position: int
    forms: tuple[Phrase, ...]
    source: tuple[int, ...] | None
    bonus: float
    whole: bool

    @property
    def shortest(self) -> int:
        return min(map(len, self.forms))


@dataclass(slots=True, kw_only=True)
class SentenceConstraints:
    """What is asked of one sentence."""

    constraints: tuple[TokenConstraint, ...] = ()
    must: tuple[RequiredPhrase, ...] = ()
    prefer: tuple[RequiredPhrase, ...] = ()
    avoid: tuple[tuple[Phrase, bool], ...] = ()  # and whether it is whole
    chains: tuple[tuple[int, ...], ...] = ()  # indexes into `must`: one after another, without overlap
    refused: dict[int, UnmetReason] = field(default_factory=dict)  # by position
    continuing: Collection[int] = ()


def sort_constraints(
    constraints: Sequence[TokenConstraint],
    vocabulary: Vocabulary,
    continuing: Collection[int] = frozenset(),
    ordered: bool = False,
    max_length: int | None = None,
) -> SentenceConstraints:
    """`continuing` are the tokens that continue a word; nothing longer than `max_length` has room."""
    if not constraints:
        return SentenceConstraints()
    avoid = tuple(
        [
            (phrase, constraint.whole)
            for constraint in constraints
            if constraint.kind == "avoid"
            for phrase in constraint.alternatives
            if phrase and min(phrase) >= 0
        ]
    )
    refused: dict[int, UnmetReason] = {}
    by_kind: dict[str, list[RequiredPhrase]] = {"must": [], "prefer": []}
    possible: dict[int, tuple[Phrase, ...]] = {}
    for position, constraint in enumerate(constraints):
        if constraint.kind == "avoid":
            continue
        forms, reason = _possible_forms(constraint, vocabulary, avoid, continuing)
        if max_length is not None and forms and max(map(len, forms)) > max_length:
            forms = tuple(form for form in forms if len(form) <= max_length)
            reason = None if forms else "length limit"
        if reason is not None:
            refused[position] = reason
        else:
            possible[position] = forms
    for kind in by_kind:
        ours = {position: forms for position, forms in possible.items() if constraints[position].kind == kind}
        possible.update(_share_room(ours))
    for position, forms in possible.items():
        constraint = constraints[position]
        accepted = by_kind[constraint.kind]
        if len(accepted) >= MAX_CONSTRAINTS or not forms:
            refused[position] = "too many"
            continue
        accepted.append(
            RequiredPhrase(
                position=position,
                forms=forms,
                source=constraint.source,
                bonus=constraint.bonus,
                whole=constraint.whole,
            )
        )
    must = tuple(by_kind["must"])
    return SentenceConstraints(
        constraints=tuple(constraints),
        must=must,
        prefer=tuple(by_kind["prefer"]),
        avoid=avoid,
        chains=(tuple(range(len(must))),) if ordered and len(must) > 1 else _repetitions(must),
        refused=refused,
        continuing=continuing,
    )


def find_phrase(
    tokens: Sequence[int], phrase: Phrase, whole: bool, continuing: Collection[int], start: int = 0
) -> int | None:
    """Where the phrase first stands among the tokens from `start` on."""
    size, last = len(phrase), len(tokens) - len(phrase)
    while start <= last:
        try:
            first = tokens.index(phrase[0], start, last + 1)
        except ValueError:
            return None
        after, start = first + size, first + 1
        if tuple(tokens[first:after]) == phrase and not (
            whole and after < len(tokens) and tokens[after] in continuing
        ):
            return first
    return None


def _share_room(possible: dict[int, tuple[Phrase, ...]]) -> dict[int, tuple[Phrase, ...]]:
    """The first form of each constraint, then the second of each, ..., while there is room for tokens."""
    if sum(len(form) for forms in possible.values() for form in forms) <= MAX_TOKENS:
        return possible
    room, found = MAX_TOKENS, {position: list[Phrase]() for position in possible}
    for rank in range(max(map(len, possible.values()))):
        for position, forms in possible.items():
            if rank < len(forms) and len(found[position]) == rank and len(forms[rank]) <= room:
                found[position].append(forms[rank])
                room -= len(forms[rank])
    return {position: tuple(forms) for position, forms in found.items()}


def _possible_forms(
    constraint: TokenConstraint,
    vocabulary: Vocabulary,
    avoid: Sequence[tuple[Phrase, bool]],
    continuing: Collection[int],
) -> tuple[tuple[Phrase, ...], UnmetReason | None]:
    forms = constraint.alternatives
    if len(forms) > 1:
        forms = tuple(dict.fromkeys(form for form in forms if form))
    if not forms or not forms[0]:
        return (), "empty"
    if not all(map(vocabulary.can_generate, forms)):
        forms = tuple(form for form in forms if vocabulary.can_generate(form))
        if not forms:
            return (), "not generable"
    if not avoid:
        return forms, None
    forms = tuple(
        form
        for form in forms
        if not any(_forces(form, constraint.whole, *phrase, continuing) for phrase in avoid)
    )
    return (forms, None) if forms else ((), "contradictory")


def _forces(
    form: Phrase, form_is_whole: bool, phrase: Phrase, whole: bool, continuing: Collection[int]
) -> bool:
    """Whether the phrase is there wherever the form is. A token after the form could still save it."""
    first = find_phrase(form, phrase, whole, continuing)
    if first is None:
        return False
    at_end = first + len(phrase) == len(form)
    return not (at_end and whole and not form_is_whole and continuing)


def _repetitions(required: Sequence[RequiredPhrase]) -> tuple[tuple[int, ...], ...]:
    """The same constraint given twice asks for two occurrences."""
    if len(required) < 2:
        return ()
    alike: dict[tuple[Collection[Phrase], bool], list[int]] = {}
    for index, one in enumerate(required):
        forms = one.forms if len(one.forms) == 1 else frozenset(one.forms)
        alike.setdefault((forms, one.whole), []).append(index)
    if len(alike) == len(required):
        return ()
    return tuple(tuple(indexes) for indexes in alike.values() if len(indexes) > 1)
