"""Texts over a model's limit, split where sentences end, and their translations made one again.

Parts are as long as fits, so that a sentence keeps as much of its surroundings as it can:

    limit 8    Das ist so. | Es war so. | Und es bleibt so, immer.
    parts      Das ist so. Es war so.      Und es bleibt so, immer.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.translator.reading import Text
from lexalign.translator.translation import Term, Translation

# A mark, what closes after it, and a space; scripts that set no spaces need none.
_END = re.compile(r"[.!?…]+[\"'“”‘’«»)\]]*\s+|[。！？।॥]+[」』”’)]*\s*|\n+")
# A point after a letter, a short title or an ordinal is no end one can be sure of: z. B., Dr., 3. Mai.
_UNSURE = re.compile(r"(?:^|\W)(?:\w|[^\W\d_a-z]\w|\d\d)\.\s*$")

Count = Callable[[str], int]


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A text that was split: where its parts stand in it, and what was asked of it."""

    spans: tuple[Span, ...]
    constraints: tuple[Constraint, ...]


class LongTexts:
    """Goes with one stream of texts; `count` gives the tokens of a text."""

    def __init__(self, count: Count, limit: int) -> None:
        self._count, self._limit = count, limit
        self._wholes: deque[Whole] = deque()
        self._number = 0

    def split(self, windows: Iterable[Sequence[Text]]) -> Iterator[list[Text]]:
        for window in windows:
            yield [part for text in window for part in self._parts(text)]

    def join(self, translations: Iterator[Translation]) -> Iterator[Translation]:
        for first in translations:
            whole = self._wholes.popleft()
            parts = [first, *(next(translations) for _ in whole.spans[1:])]
            yield _joined(parts, whole) if len(parts) > 1 else first

    def _parts(self, text: Text) -> list[Text]:
        self._number += 1
        source, constraints = (text, ()) if isinstance(text, str) else text
        spans = split_text(source, self._count, self._limit, self._number)
        self._wholes.append(Whole(spans=spans, constraints=tuple(constraints)))
        if len(spans) == 1:
            return [text]
        asked = [_asked(constraints, span, self._number) for span in spans]
        _refuse_astride(constraints, asked, self._number)
        return [(source[start:end], mine) for (start, end), mine in zip(spans, asked, strict=True)]


def split_text(text: str, count: Count, limit: int, number: int = 1) -> tuple[Span, ...]:
    """The parts of a text, each within the limit; the spaces between them belong to none."""
    if count(text) <= limit:
        return ((0, len(text)),)
    parts: list[Span] = []
    for start, end in _sentences(text):
        if parts and count(text[parts[-1][0] : end]) <= limit:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
        if count(text[slice(*parts[-1])]) > limit:
            raise LexalignError(
                f"sentence {number} has {count(text)} tokens, over the model's limit of {limit}, and no end "
                "of a sentence to split it at; split it"
            )
    return tuple(parts)


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for match in _END.finditer(text):
        end = match.start() + len(match[0].rstrip())
        if text[start:end].strip() and not (match[0].startswith(".") and _goes_on(text, start, match.end())):
            yield start, end
            start = match.end()
    if text[start:].strip():
        yield start, len(text.rstrip())


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether a sentence may well go on after a point."""
    return text[end : end + 1].islower() or bool(_UNSURE.search(text[start:end]))


def _asked(constraints: Sequence[Constraint], part: Span, number: int) -> tuple[Constraint, ...]:
    """What is asked of a part; what is to be avoided everywhere is asked of all."""
    found = []
    for constraint in constraints:
        if constraint.source is None:
            if constraint.kind != "avoid":
                raise LexalignError(
                    f"sentence {number} must be split, and a constraint does not say what it translates; "
                    "give its source"
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
        raise LexalignError(
            f"sentence {number} must be split, and a constraint lies across a split; split it"
        )


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
    """In the order in which they were asked; one that was asked of all parts is met if all meet it."""
    fates: dict[Constraint, list[Term]] = {}
    for part, start, span in zip(parts, starts, whole.spans, strict=True):
        for term in part.terms:
            asked = term.constraint
            source = None if asked.source is None else _moved(asked.source, span[0])
            target = None if term.target is None else _moved(term.target, start)
            original = replace(asked, source=source)
            fates.setdefault(original, []).append(replace(term, constraint=original, target=target))
    found = []
    for constraint in whole.constraints:
        terms = fates[constraint]
        if constraint.source is None:
            found.append(next((term for term in terms if not term.met), terms[0]))
        else:
            found.append(terms.pop(0))
    return tuple(found)


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _glue(left: str, right: str) -> str:
    """A space, but not beside scripts that set none."""
    if not left or not right:
        return ""
    wide = {unicodedata.east_asian_width(character) for character in (left[-1], right[0])}
    return "" if wide <= {"W", "F"} else " "
