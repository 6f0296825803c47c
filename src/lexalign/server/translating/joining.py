"""A text as sentences, and their translations as one text again, with its offsets.

What stands between sentences is kept as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.constraint import Constraint
from lexalign.text.sentences import sentence_spans
from lexalign.translator import Term, Translation


@dataclass(frozen=True, kw_only=True)
class TextTranslation:
    """Links and terms have offsets in the whole source and the whole translation."""

    source: str
    text: str
    score: float  # the sentences' mean
    complete: bool
    links: tuple[SpanLink, ...]
    terms: tuple[Term, ...]
    alternatives: tuple["TextTranslation", ...] = ()


def split(text: str, *, sentences: bool) -> list[Span]:
    """Sentences, or only lines."""
    if sentences:
        return sentence_spans(text)
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            spans.append((start + len(line) - len(line.lstrip()), start + len(line.rstrip())))
        start += len(line)
    return spans


def join(source: str, spans: Sequence[Span], translations: Sequence[Translation]) -> TextTranslation:
    num_ranks = 1 + max((len(translation.alternatives) for translation in translations), default=0)
    best, *others = (
        _join(source, spans, [_ranked(one, rank) for one in translations]) for rank in range(num_ranks)
    )
    return replace(best, alternatives=tuple(others))


def _ranked(translation: Translation, rank: int) -> Translation:
    """The alternative of a rank, or the last there is."""
    return (translation, *translation.alternatives)[: rank + 1][-1]


def _join(source: str, spans: Sequence[Span], translations: Sequence[Translation]) -> TextTranslation:
    text, end = "", 0
    links: list[SpanLink] = []
    terms: list[Term] = []
    for span, translation in zip(spans, translations, strict=True):
        text += source[end : span[0]]
        end = span[1]
        shift = span[0], len(text)
        links += (
            SpanLink(_moved(link.source, shift[0]), _moved(link.target, shift[1]), link.probability)
            for link in translation.links
        )
        terms += (_moved_term(term, *shift) for term in translation.terms)
        text += translation.text
    return TextTranslation(
        source=source,
        text=text + source[end:],
        score=sum(one.score for one in translations) / max(1, len(translations)),
        complete=all(one.complete for one in translations),
        links=tuple(links),
        terms=tuple(terms),
    )


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _moved_term(term: Term, source: int, target: int) -> Term:
    constraint: Constraint = term.constraint
    if constraint.source is not None:
        constraint = replace(constraint, source=_moved(constraint.source, source))
    return replace(
        term, constraint=constraint, target=None if term.target is None else _moved(term.target, target)
    )
