"""The translation of a source window through word links: a consistent phrase pair (Och and Ney 2004).

    the new sales order   | is posted        den neuen Verkaufsauftrag | buchen
            sales order -> Verkaufsauftrag   neither has a link to a word outside

The target is the shortest span that has all links of the window, and no word of it may be linked outside of
the window. Function words at its edges are dropped ("des Auftrags" is "Auftrags"). A content word beside the
window must be linked elsewhere: where "order line" is "Auftragsposition" and only "order" is linked, that is
no translation of "order".
"""

from collections.abc import Sequence
from typing import NamedTuple

from lexalign.glossary.matching.words import Word
from lexalign.metrics.words import is_punctuation
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.extraction.windows import Window

_MAX_WORDS = 8
_ALLOWED_MARKS = frozenset("-/&'’+.()")  # inside of a term


class Projection(NamedTuple):
    """Target words `start` to `end`; the probability is the mean over the window's content words."""

    start: int
    end: int
    probability: float


class Projector:
    """The links of one unit, in both directions."""

    def __init__(self, aligned: AlignedUnit, function_words: tuple[frozenset[str], frozenset[str]]) -> None:
        self._unit, (self._source_words, self._target_words) = aligned, function_words
        self._by_source: dict[int, list[tuple[int, float]]] = {}
        self._by_target: dict[int, list[int]] = {}
        for link in aligned.links:
            probability = 1.0 if link.probability is None else link.probability
            self._by_source.setdefault(link.source, []).append((link.target, probability))
            self._by_target.setdefault(link.target, []).append(link.source)
        self._whole = _whole_texts(aligned)

    def project(self, window: Window) -> Projection | None:
        """The translation of a window; that of a whole short text is the other text, whatever is linked."""
        first, last = window.start, window.end
        if (first, last) == self._whole[0]:
            return Projection(*self._whole[1], 1.0)
        targets = [target for index in range(first, last) for target, _ in self._by_source.get(index, ())]
        if not targets:
            return None
        start, end = min(targets), max(targets) + 1
        for target in range(start, end):
            for source in self._by_target.get(target, ()):
                if not first <= source < last:
                    return None
        if self._is_torn(first - 1) or self._is_torn(last):
            return None
        start, end = self._trim(start, end)
        words = self._unit.target[start:end]
        if len(words) > _MAX_WORDS or not _is_phrase(words) or self._is_function(words):
            return None
        return Projection(start, end, self._probability(window))

    def linked(self, start: int, end: int) -> list[tuple[int, float]]:
        """The target words that source words are linked to, with the highest probability of each."""
        best: dict[int, float] = {}
        for index in range(start, end):
            for target, probability in self._by_source.get(index, ()):
                best[target] = max(probability, best.get(target, 0.0))
        return sorted(best.items())

    def _is_torn(self, index: int) -> bool:
        """Whether a word beside the window is a content word without a link."""
        words = self._unit.source
        if not 0 <= index < len(words) or index in self._by_source:
            return False
        return words[index].key not in self._source_words and not is_punctuation(words[index].text)

    def _is_function(self, words: Sequence[Word]) -> bool:
        return all(word.key in self._target_words for word in words)

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        words = self._unit.target
        while end - start > 1 and self._is_edge(words[start]):
            start += 1
        while end - start > 1 and self._is_edge(words[end - 1]):
            end -= 1
        return start, end

    def _is_edge(self, word: Word) -> bool:
        return is_punctuation(word.text) or (word.text.islower() and word.key in self._target_words)

    def _probability(self, window: Window) -> float:
        content = [
            index
            for index in range(window.start, window.end)
            if self._unit.source[index].key not in self._source_words
        ]
        indexes = content or range(window.start, window.end)
        best = [max((p for _, p in self._by_source.get(index, ())), default=0.0) for index in indexes]
        return sum(best) / len(best)


def _whole_texts(aligned: AlignedUnit) -> tuple[tuple[int, int], tuple[int, int]]:
    """All words of both sides without the marks around them, where both are short enough to be terms."""
    if max(len(aligned.source), len(aligned.target)) > _MAX_WORDS + 2:
        return (0, 0), (0, 0)
    source, target = _without_marks(aligned.source), _without_marks(aligned.target)
    return (source, target) if _is_phrase(aligned.target[slice(*target)]) else ((0, 0), (0, 0))


def _without_marks(words: Sequence[Word]) -> tuple[int, int]:
    content = [index for index, word in enumerate(words) if not is_punctuation(word.text)]
    return (content[0], content[-1] + 1) if content else (0, 0)


def _is_phrase(words: Sequence[Word]) -> bool:
    """Whether there is a word, and no punctuation that ends a part of a sentence."""
    marks = [word.text for word in words if is_punctuation(word.text)]
    return len(marks) < len(words) and all(mark in _ALLOWED_MARKS for mark in marks)
