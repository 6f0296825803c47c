"""Texts over a model's limit, split where sentences end, and their translations made one again.

Parts are as long as fits, so that a sentence keeps as much of its surroundings as it can:

    limit 8    Das ist so. | Es war so. | Und es bleibt so, immer.
    parts      Das ist so. Es war so.      Und es bleibt so, immer.
"""

import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.constraint import Constraint
from lexalign.text.sentences import sentence_spans
from lexalign.translator.reading import Refuse, RefusedError, Text
from lexalign.translator.translation import Term, Translation

Count = Callable[[str], int]


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A text that was split: where its parts stand in it, and what was asked of it."""

    spans: tuple[Span, ...]
    constraints: tuple[Constraint, ...]


class LongTexts:
    """Goes with one stream of texts; `count` gives the tokens of a text.

    A text that cannot be translated is an error, or where there is somebody to refuse it, becomes empty.
    """

    def __init__(self, count: Count, limit: int, refuse: Refuse | None = None) -> None:
        self._count, self._limit, self._refuse = count, limit, refuse
        self._wholes: deque[Whole] = deque()
        self._number = 0
        self._first, self._owners = 0, list[int]()  # of the window's parts: their place, and whose they are

    def split(self, windows: Iterable[Sequence[Text]]) -> Iterator[list[Text]]:
        for window in windows:
            self._first, self._owners = self._first + len(self._owners), []
            yield [part for text in window for part in self._parts(text)]

    def refuse(self, place: int, refusal: RefusedError) -> None:
        """A part of the last window was refused, and so is the text that it belongs to."""
        owner = self._owners[place - self._first]
        if self._refuse is None:
            raise refusal.of(owner + 1) from None
        self._refuse(owner, refusal)

    def join(self, translations: Iterator[Translation]) -> Iterator[Translation]:
        for first in translations:
            whole = self._wholes.popleft()
            parts = [first, *(next(translations) for _ in whole.spans[1:])]
            yield _joined(parts, whole) if len(parts) > 1 else first

    def _parts(self, text: Text) -> list[Text]:
        self._number += 1
        source, constraints = (text, ()) if isinstance(text, str) else text
        try:
            spans = split_text(source, self._count, self._limit, self._number)
            asked = _share(constraints, spans, self._number)
        except RefusedError as refusal:
            if self._refuse is None:
                raise
            self._refuse(self._number - 1, refusal)
            source, constraints, spans, asked = "", (), ((0, 0),), [()]
        self._wholes.append(Whole(spans=spans, constraints=tuple(constraints)))
        self._owners += [self._number - 1] * len(spans)
        return [(source[start:end], mine) for (start, end), mine in zip(spans, asked, strict=True)]


def split_text(text: str, count: Count, limit: int, number: int = 1) -> tuple[Span, ...]:
    """The parts of a text, each within the limit; the spaces between them belong to none."""
    try:
        num_tokens = count(text)
    except RefusedError as refusal:
        raise refusal.of(number) from None
    if num_tokens <= limit:
        return ((0, len(text)),)
    parts: list[Span] = []
    for start, end in sentence_spans(text):
        if parts and count(text[parts[-1][0] : end]) <= limit:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
        if count(text[slice(*parts[-1])]) > limit:
            raise RefusedError(
                number,
                f"has {num_tokens} tokens, over the model's limit of {limit}, and no end of a sentence to "
                "split it at; split it",
            )
    return tuple(parts)


def _share(
    constraints: Sequence[Constraint], spans: Sequence[Span], number: int
) -> list[tuple[Constraint, ...]]:
    """What is asked of each part."""
    if len(spans) == 1:
        return [tuple(constraints)]
    asked = [_asked(constraints, span, number) for span in spans]
    _refuse_astride(constraints, asked, number)
    return asked


def _asked(constraints: Sequence[Constraint], part: Span, number: int) -> tuple[Constraint, ...]:
    """What is asked of a part; what is to be avoided everywhere is asked of all."""
    found = []
    for constraint in constraints:
        if constraint.source is None:
            if constraint.kind != "avoid":
                raise RefusedError(
                    number, "must be split, and a constraint does not say what it translates; give its source"
                )
            found.append(constraint)
        elif part[0] <= constraint.source[0] and constraint.source[1] <= part[1]:
            place = constraint.source[0] - part[0], constraint.source[1] - part[0]
            found.append(replace(constraint, source=place))
    return tuple(found)


def _refuse_astride(
    constraints: Sequence[Constraint], asked: Sequence[tuple[Constraint, ...]], number: int
) -> None:
    placed = sum(one.source is not None for mine in asked for one in mine)
    if placed != sum(one.source is not None for one in constraints):
        raise RefusedError(number, "must be split, and a constraint lies across a split; split it")


def _joined(parts: Sequence[Translation], whole: Whole) -> Translation:
    ranked = [(part, *part.alternatives) for part in parts]
    best, *others = (_join(list(row), whole) for row in zip(*ranked, strict=False))
    return replace(best, alternatives=tuple(others))


def _join(parts: list[Translation], whole: Whole) -> Translation:
    text, starts = "", []
    for part in parts:
        text += _glue(text, part.text)
        starts.append(len(text))
        text += part.text
    lengths = [len(part.tokens) + 1 for part in parts]
    return Translation(
        text=text,
        tokens=tuple(token for part in parts for token in part.tokens),
        token_log_probabilities=tuple(one for part in parts for one in part.token_log_probabilities),
        end_log_probability=sum(part.end_log_probability for part in parts),
        log_probability=sum(part.log_probability for part in parts),
        score=sum(part.score * length for part, length in zip(parts, lengths, strict=True)) / sum(lengths),
        complete=all(part.complete for part in parts),
        terms=_terms(parts, starts, whole),
        links=tuple(
            SpanLink(_moved(link.source, span[0]), _moved(link.target, start), link.probability)
            for part, start, span in zip(parts, starts, whole.spans, strict=True)
            for link in part.links
        ),
    )


def _terms(parts: Sequence[Translation], starts: Sequence[int], whole: Whole) -> tuple[Term, ...]:
    """In the order in which they were asked, then what a glossary asked for.

    A constraint that was asked of all parts is met if all meet it.
    """
    fates: dict[Constraint, list[Term]] = {}
    from_glossary: list[Term] = []
    for part, start, span in zip(parts, starts, whole.spans, strict=True):
        for term in part.terms:
            placed = _placed(term, span[0], start)
            if placed.match is None:
                fates.setdefault(placed.constraint, []).append(placed)
            else:
                from_glossary.append(placed)
    found = []
    for constraint in whole.constraints:
        terms = fates[constraint]
        if constraint.source is None:
            found.append(next((term for term in terms if not term.met), terms[0]))
        else:
            found.append(terms.pop(0))
    return (*found, *from_glossary)


def _placed(term: Term, source_start: int, target_start: int) -> Term:
    """A term of a part, by its places in the whole."""
    source, match = term.constraint.source, term.match
    constraint = replace(term.constraint, source=None if source is None else _moved(source, source_start))
    if match is not None:
        match = replace(match, span=_moved(match.span, source_start), constraint=constraint)
    target = None if term.target is None else _moved(term.target, target_start)
    return replace(term, constraint=constraint, target=target, match=match)


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _glue(left: str, right: str) -> str:
    """A space, but not beside scripts that set none."""
    if not left or not right:
        return ""
    wide = {unicodedata.east_asian_width(character) for character in (left[-1], right[0])}
    return "" if wide <= {"W", "F"} else " "
