"""Counting and projecting one word after the other, as extraction does for all words of a shard at once."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from lexalign.characters import is_unspaced
from lexalign.glossary.matching.words import Word, split
from lexalign.metrics.words import is_punctuation
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.extraction.closed_classes import closed_classes
from lexalign.terminology.extraction.counting import INITIAL
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.translations import TargetEvidence, TermEvidence, stands_in
from lexalign.text.languages import primary

_WINDOW_WORDS = 5
_WINDOW_CHARACTERS = 8  # of a window in a script without spaces
_HIRAGANA = ("\u3040", "\u309f")  # endings and particles
_MAX_LETTERS = 60  # of a word
_CONTENT = frozenset({"content", "number"})


class Window(NamedTuple):
    """The words `start` to `end` of a text."""

    start: int
    end: int
    alone: bool  # whether no content word stands beside it
    initial: bool  # whether it begins a part of the text, where a capital says nothing


class PlainFinder:
    def __init__(self, function_words: frozenset[str], language: str | None = None) -> None:
        self._function_words = function_words
        self._capitals_tell = language is None or primary(language) != "de"
        closed = closed_classes(language)
        self._links = function_words if closed is None else closed.links

    def find(self, words: Sequence[Word]) -> Iterator[Window]:
        kinds = self._all_kinds(words)
        for start, kind in enumerate(kinds):
            if kind == "content":
                yield from self._from(start, words, kinds)

    def _all_kinds(self, words: Sequence[Word]) -> list[str]:
        found, inside = [], False
        for word in words:
            found.append(self._kind(word, inside))
            inside = self._kind(word, False) != "mark" or not is_punctuation(word.text)
        return found

    def _from(self, start: int, words: Sequence[Word], kinds: Sequence[str]) -> Iterator[Window]:
        unspaced = is_unspaced(words[start].text[0])
        longest = _WINDOW_CHARACTERS if unspaced else _WINDOW_WORDS
        before = start == 0 or kinds[start - 1] not in _CONTENT
        initial = start == 0 or kinds[start - 1] == "mark"
        runs = 0  # of function words inside
        for end in range(start + 1, min(len(words), start + longest) + 1):
            kind = kinds[end - 1]
            if kind in ("mark", "function") or (unspaced and kind != "content"):
                return
            if kind == "link":
                runs += end - 1 == start or kinds[end - 2] != "link"
                if runs > 1:
                    return
                continue
            alone = before and (end == len(words) or kinds[end] not in _CONTENT)
            yield Window(start, end, alone, initial)

    def _kind(self, word: Word, inside: bool) -> str:
        first = word.text[0]
        if word.key in self._function_words:
            named = inside and self._capitals_tell and first.isupper() and len(word.text) > 1
            if named:
                return "content"
            return "link" if word.key in self._links else "function"
        if first.isdigit():
            return "number"  # as in "Dynamics 365": never first
        if is_punctuation(word.text) or len(word.text) > _MAX_LETTERS:
            return "mark"
        if is_unspaced(first):
            return "mark" if _HIRAGANA[0] <= first <= _HIRAGANA[1] else "content"
        return "content" if len(word.text) > 1 else "mark"


_MAX_WORDS = 8
_ALLOWED_MARKS = frozenset("-/&'’+.()")  # inside of a term


class Projection(NamedTuple):
    """Target words `start` to `end`; the probability is the mean over the window's content words."""

    start: int
    end: int
    probability: float


class PlainProjector:
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
            return Projection(*self._trim(*self._whole[1]), 1.0)
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
        start, end = self._extend(*self._trim(start, end))
        words = self._unit.target[start:end]
        if len(words) > _MAX_WORDS or not _is_phrase(words) or self._is_function(words):
            return None
        return Projection(start, end, self._probability(window))

    def _extend(self, start: int, end: int) -> tuple[int, int]:
        while start and self._is_loose(start - 1):
            start -= 1
        while end < len(self._unit.target) and self._is_loose(end):
            end += 1
        return start, end

    def _is_loose(self, index: int) -> bool:
        """Whether a target word is a content word without a link."""
        word = self._unit.target[index]
        return not (index in self._by_target or word.key in self._target_words or is_punctuation(word.text))

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
    """Whether there is a word, no punctuation that ends a part of a sentence, and no half of brackets."""
    marks = [word.text for word in words if is_punctuation(word.text)]
    if marks.count("(") != marks.count(")"):
        return False
    return len(marks) < len(words) and all(mark in _ALLOWED_MARKS for mark in marks)


def plain_counts(
    texts: Iterable[str], finder: PlainFinder, keys: TermKeys
) -> dict[str, tuple[int, int, Counter[str]]]:
    """Count, alone and forms of each term."""
    found: dict[str, tuple[int, int, Counter[str]]] = {}
    for text in texts:
        words = split(text)
        for start, end, alone, initial in finder.find(words):
            form = (INITIAL if initial else "") + text[words[start].start : words[end - 1].end]
            key = keys.key(words[start:end])
            count, before, forms = found.get(key, (0, 0, Counter()))
            found[key] = count + 1, before + alone, forms + Counter([form])
    return found


def plain_translations(
    units: Iterable[AlignedUnit],
    finder: PlainFinder,
    keys: tuple[TermKeys, TermKeys],
    function_words: tuple[frozenset[str], frozenset[str]],
    num_examples: int,
) -> dict[str, TermEvidence]:
    """The translations of all terms; a unit's examples are named by its line."""
    found: dict[str, TermEvidence] = {}
    for aligned in units:
        projector = PlainProjector(aligned, function_words)
        for window in finder.find(aligned.source):
            source, unit = aligned.source[window.start : window.end], aligned.unit
            term = found.setdefault(keys[0].key(source), TermEvidence())
            term.count += 1
            term.copied += stands_in(unit.target, unit.source[source[0].start : source[-1].end])
            projection = projector.project(window)
            if projection is None:
                continue
            words = aligned.target[projection.start : projection.end]
            target = term.targets.setdefault(keys[1].key(words), TargetEvidence())
            target.count += 1
            target.probability += projection.probability
            form = unit.target[words[0].start : words[-1].end]
            target.forms[INITIAL + form if projection.start == 0 else form] += 1
            if len(target.examples) < num_examples:
                target.examples.append((0, unit.place.line or 0))
    return found
