"""Word alignment of two texts, from links between their tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexalign.contracts.alignment import Span, SpanLink
    from lexalign.translator import Translation


@dataclass(frozen=True)
class WordPair:
    source: int
    target: int
    probability: float


@dataclass(frozen=True)
class LinkedWords:
    """The words of both texts without punctuation, as character spans, and their links."""

    source: tuple["Span", ...]
    target: tuple["Span", ...]
    pairs: tuple[WordPair, ...]

    def sources_of(self, target: int) -> list[WordPair]:
        return [pair for pair in self.pairs if pair.target == target]


def linked_words(source: str, translation: "Translation") -> LinkedWords:
    """The probability of a word pair is that of the best link between their tokens."""
    source_words, target_words = word_spans(source), word_spans(translation.text)
    best: dict[tuple[int, int], float] = {}
    for link in _shown_links(translation):
        for target in touched(target_words, link.target):
            for origin in touched(source_words, link.source):
                probability = max(link.probability or 0.0, best.get((target, origin), 0.0))
                best[target, origin] = probability
    pairs = [WordPair(origin, target, value) for (target, origin), value in sorted(best.items())]
    return LinkedWords(tuple(source_words), tuple(target_words), tuple(pairs))


def _shown_links(translation: "Translation") -> list["SpanLink"]:
    """The links of a translation, where a met term is linked with its own source alone."""
    from lexalign.contracts.alignment import SpanLink, spans_overlap

    shown = list(translation.links)
    for term in translation.terms:
        origin, place = term.constraint.source, term.target
        if not term.met or origin is None or place is None:
            continue
        shown = [
            link
            if spans_overlap(link.source, origin) or not spans_overlap(link.target, place)
            else SpanLink(origin, link.target, term.probability)
            for link in shown
        ]
    return shown


def word_spans(text: str) -> list["Span"]:
    """The words of a text, without punctuation."""
    from lexalign.glossary.matching.words import split
    from lexalign.metrics.words import is_punctuation

    return [(word.start, word.end) for word in split(text) if not is_punctuation(word.text)]


def touched(words: Sequence["Span"], span: "Span") -> list[int]:
    """The words that share a character with a span; a lone space, `▁` before 7, belongs to the next word."""
    found = [index for index, (start, end) in enumerate(words) if start < span[1] and span[0] < end]
    return found or [index for index, (start, _) in enumerate(words) if start == span[1]]
