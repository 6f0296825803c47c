"""The translations of source windows through word links: consistent phrase pairs (Och and Ney 2004).

    the new sales order   | is posted        den neuen Verkaufsauftrag | buchen
            sales order -> Verkaufsauftrag   neither has a link to a word outside

The target is the shortest span that has all links of the window, and no word of it may be linked outside of
the window. Function words at its edges are dropped ("des Auftrags" is "Auftrags"), and content words beside
it that have no link belong to it: where "Außenpolitik" is linked to "foreign" alone, it is "foreign policy".
A content word beside the window must be linked elsewhere: where "order line" is "Auftragsposition" and only
"order" is linked, that is no translation of "order". The translation of a whole short text is the other text
without the function words at its edges, whatever is linked.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexalign.alignment.statistical.hmm import CorpusLinks
from lexalign.metrics.words import is_punctuation
from lexalign.terminology.extraction.range_extremes import RangeMinimum
from lexalign.terminology.extraction.text_words import Flags, Indexes, TextWords
from lexalign.terminology.extraction.windows import MAX_CHARACTERS, Windows

_MAX_WORDS = 8
_ALLOWED_MARKS = frozenset("-/&'’+.()")  # inside of a term
_NONE = np.iinfo(np.int64).max  # behind every word


@dataclass(frozen=True, eq=False)
class Projections:
    """Target words `first` to before `last` of windows; the probability is the mean over content words."""

    found: Flags  # which windows have one; the others' values mean nothing
    first: Indexes
    last: Indexes
    probability: NDArray[np.float64]


class Projector:
    """The links of aligned texts, in both directions."""

    def __init__(
        self,
        source: TextWords,
        target: TextWords,
        links: CorpusLinks,
        function_words: tuple[frozenset[str], frozenset[str]],
        *,
        target_has_noun_capitals: bool = False,
    ) -> None:
        self._source, self._target = source, target
        rows = np.repeat(np.arange(len(links)), np.diff(links.starts))
        sources, targets = source.starts[rows] + links.points[:, 0], target.starts[rows] + links.points[:, 1]
        self._linked = _Extremes(sources, targets, len(source.ids))
        self._linked_back = _Extremes(targets, sources, len(target.ids))
        self._best = np.zeros(len(source.ids))
        np.maximum.at(self._best, sources, links.probabilities)
        self._function = source.flags(lambda word: word.key in function_words[0])
        self._punctuation = source.flags(lambda word: is_punctuation(word.text))
        torn = ~self._linked.any & ~self._function & ~self._punctuation
        self._torn = np.append(torn, False)  # content words without a link
        self._spans = _TargetSpans(
            target, function_words[1], self._linked_back.any, nouns_only=target_has_noun_capitals
        )
        self._whole = self._whole_texts()

    def project(self, windows: Windows) -> Projections:
        first, last = self._linked.over(windows.first, windows.last)
        found = first < _NONE
        first, last = np.where(found, first, 0), np.where(found, last, 0)
        found &= self._linked_back.within(first, last + 1, windows.first, windows.last)
        found &= ~self._is_torn(windows)
        first, last = self._spans.extend(*self._spans.trim(first, last))
        found &= self._spans.is_translation(first, last + 1)
        probability = self._probability(windows)
        rows = self._source.rows[windows.first]
        source, target = (side[rows] for side in self._whole)
        whole = (source[:, 0] == windows.first) & (source[:, 1] == windows.last)
        return Projections(
            found | whole,
            np.where(whole, target[:, 0], first),
            np.where(whole, target[:, 1], last + 1),
            np.where(whole, 1.0, probability),
        )

    def _is_torn(self, windows: Windows) -> Flags:
        """Whether a word beside a window is a content word without a link."""
        before = ~self._source.is_first[windows.first] & self._torn[windows.first - 1]
        after = (windows.last < self._source.text_ends[windows.first]) & self._torn[windows.last]
        found: Flags = before | after
        return found

    def _probability(self, windows: Windows) -> NDArray[np.float64]:
        """The mean probability of a window's content words, or of all where there are none."""
        sums = np.zeros((2, len(windows.first)))  # of content words, of all
        counts = np.zeros_like(sums)
        for offset in range(MAX_CHARACTERS):
            inside = np.flatnonzero(windows.first + offset < windows.last)
            indexes = windows.first[inside] + offset
            content = (~self._function[indexes]).astype(np.float64)
            for which, weight in enumerate((content, np.ones(len(indexes)))):
                sums[which, inside] += self._best[indexes] * weight
                counts[which, inside] += weight
        which = (counts[0] == 0).astype(np.int64)
        columns = np.arange(len(which))
        means: NDArray[np.float64] = sums[which, columns] / counts[which, columns]
        return means

    def _whole_texts(self) -> tuple[Indexes, Indexes]:
        """(rows, 2) the words of both sides without the marks around them, where both are short; or zeros."""
        sides = (self._source, self._punctuation), (self._target, self._spans.punctuation)
        source, target = (_without_marks(*side) for side in sides)
        lengths = np.maximum(*(np.diff(side.starts) for side in (self._source, self._target)))
        wanted = (lengths <= _MAX_WORDS + 2) & self._spans.is_phrase(target[:, 0], target[:, 1])
        first, last = self._spans.trim(target[:, 0], np.maximum(target[:, 1] - 1, 0))
        trimmed = np.stack([first, last + 1], axis=1)
        return source * wanted[:, None], trimmed * wanted[:, None]


class _Extremes:
    """The first and last word of the other side that each word is linked to."""

    def __init__(self, words: Indexes, others: Indexes, num_words: int) -> None:
        self._first = np.full(num_words, _NONE)
        self._last = np.full(num_words, -1)
        np.minimum.at(self._first, words, others)
        np.maximum.at(self._last, words, others)
        self.any = self._last >= 0

    def over(self, first: Indexes, last: Indexes) -> tuple[Indexes, Indexes]:
        """The first and last word that phrases are linked to."""
        low, high = self._first[first], self._last[first]
        for offset in range(1, MAX_CHARACTERS):
            inside = np.flatnonzero(first + offset < last)
            indexes = first[inside] + offset
            low[inside] = np.minimum(low[inside], self._first[indexes])
            high[inside] = np.maximum(high[inside], self._last[indexes])
        return low, high

    def within(self, first: Indexes, last: Indexes, from_other: Indexes, to_other: Indexes) -> Flags:
        """Whether all links of phrases lead to words between two of the other side."""
        longest = int((last - first).max(initial=1))
        low = RangeMinimum(self._first, longest).over(first, last)
        high = -RangeMinimum(-self._last, longest).over(first, last)
        inside: Flags = (low >= from_other) & (high < to_other)
        return inside


class _TargetSpans:
    """Which spans of the target may be translations, told by their words."""

    def __init__(
        self, words: TextWords, function_words: frozenset[str], linked: Flags, *, nouns_only: bool
    ) -> None:
        """`nouns_only`: words in lower case that follow are verbs, and belong to no noun before them."""
        self._words = words
        self.punctuation = words.flags(lambda word: is_punctuation(word.text))
        function = words.flags(lambda word: word.key in function_words)
        lower = words.flags(lambda word: word.text.islower())
        forbidden = words.flags(lambda word: is_punctuation(word.text) and word.text not in _ALLOWED_MARKS)
        opened, closed = (words.flags(lambda word, one=mark: word.text == one) for mark in "()")  # type: ignore[misc]
        self._num_marks, self._num_forbidden, self._num_function, self._num_opened, self._num_closed = (
            np.append(0, each.cumsum()) for each in (self.punctuation, forbidden, function, opened, closed)
        )
        inner = ~(self.punctuation | (lower & function))
        indexes = np.arange(len(inner))
        self._next = np.minimum.accumulate(np.where(inner, indexes, _NONE)[::-1])[::-1]
        self._previous = np.maximum.accumulate(np.where(inner, indexes, -1))
        firm = linked | function | self.punctuation
        self._previous_firm = np.maximum.accumulate(np.where(firm, indexes, -1))
        firm = firm | lower if nouns_only else firm
        self._next_firm = np.minimum.accumulate(np.where(firm, indexes, _NONE)[::-1])[::-1]

    def trim(self, first: Indexes, last: Indexes) -> tuple[Indexes, Indexes]:
        """Spans, given by their first and last word, without the function words at their edges."""
        if not len(self._next):
            return first, last
        first = np.minimum(self._next[first], last)
        return first, np.maximum(self._previous[last], first)

    def extend(self, first: Indexes, last: Indexes) -> tuple[Indexes, Indexes]:
        """Spans with the content words without a link beside them."""
        if not len(self._next):
            return first, last
        starts, ends = self._words.starts[self._words.rows[first]], self._words.text_ends[first]
        begins = np.where(first > starts, self._previous_firm[first - 1] + 1, first)
        behind = np.minimum(last + 1, len(self._next_firm) - 1)
        stops = np.where(last + 1 < ends, self._next_firm[behind] - 1, last)
        return np.maximum(begins, starts), np.minimum(stops, ends - 1)

    def is_translation(self, first: Indexes, last: Indexes) -> Flags:
        function = self._num_function[last] - self._num_function[first] == last - first
        found: Flags = (last - first <= _MAX_WORDS) & ~function & self.is_phrase(first, last)
        return found

    def is_phrase(self, first: Indexes, last: Indexes) -> Flags:
        """Whether there is a word, no punctuation that ends a part of a sentence, and no half of brackets."""
        marks, forbidden, opened, closed = (
            each[last] - each[first]
            for each in (self._num_marks, self._num_forbidden, self._num_opened, self._num_closed)
        )
        found: Flags = (marks < last - first) & (forbidden == 0) & (opened == closed)
        return found


def _without_marks(words: TextWords, punctuation: Flags) -> Indexes:
    """(rows, 2) the first word of each text that is no punctuation, and behind the last; else zeros."""
    indexes = np.flatnonzero(~punctuation)
    found = np.zeros((len(words.starts) - 1, 2), dtype=np.int64)
    rows = words.rows[indexes]
    found[rows[::-1], 0] = indexes[::-1]  # the last that is set is the first of its text
    found[rows, 1] = indexes + 1
    return found
