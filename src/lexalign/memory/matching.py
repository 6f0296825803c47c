"""Matches of a memory for the texts of a document, found in one pass over the memory.

The texts are indexed, not the memory: a document is small, and a memory may have millions of units. Exact
matches are found by a hash of the text. Texts that are near a unit are found by the words they share with it:
of the n words of a text, any unit that has half of them has one of its n/2 + 1 rarest, so each text is listed
under these only (prefix filtering). What is found there is compared by its length, and then by its edit
distance in characters:

    Open the file menu.   Open the edit menu.      4 of 19 characters differ, similarity 79
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.memory.units import MemoryUnit, normalized

# Words; characters of scripts without spaces stand alone.
_WORDS = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_MAX_CANDIDATES = 1_000  # texts that a unit is compared with; those that share its rarest words come first
_SLACK = 0.01  # of the cutoff, whose own rounding may lose what is just similar enough
_MAX_EXACT = 10  # for a text
_MAX_LENGTH = 10_000  # characters; longer texts have exact matches only


@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """Near matches: their least similarity in per cent, and how many are kept for a text."""

    similarity: float = 75.0
    most: int = 3

    def __post_init__(self) -> None:
        if not 0 < self.similarity <= 100:
            raise LexalignError(f"the similarity is {self.similarity:g}; it must be between 0 and 100")


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    unit: MemoryUnit
    similarity: float  # 100 for the same text


def find_matches(
    texts: Iterable[str], units: Iterable[MemoryUnit], options: MatchOptions | None = None
) -> dict[str, list[MemoryMatch]]:
    """The matches of each text that has any: exact ones in the order of the memory, then the nearest.

    With a similarity of 100 only exact matches are looked for, and rapidfuzz is not needed.
    """
    options = options or MatchOptions()
    by_key: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        if key := normalized(text):
            by_key.setdefault(key, []).append(text)
    exact: dict[str, list[MemoryMatch]] = {}
    near = _NearMatches(by_key, options) if options.similarity < 100 else None
    for unit in units:
        key = normalized(unit.source.text)
        if key in by_key:
            _keep_exact(exact.setdefault(key, []), unit)
        if near is not None:
            near.add(key, unit)
    found = {key: [*exact.get(key, ()), *(near.best(key) if near else ())] for key in by_key}
    return {text: found[key] for key, own in by_key.items() for text in own if found[key]}


def _keep_exact(kept: list[MemoryMatch], unit: MemoryUnit) -> None:
    """Units with the same text may differ in their tags or translations; repetitions are left out."""
    if len(kept) < _MAX_EXACT and all(
        (unit.source, unit.target) != (one.unit.source, one.unit.target) for one in kept
    ):
        kept.append(MemoryMatch(unit, 100.0))


class _NearMatches:
    """The nearest units of each text, while units are added one by one."""

    def __init__(self, keys: Iterable[str], options: MatchOptions) -> None:
        try:
            from rapidfuzz.distance import Levenshtein
        except ImportError:
            raise MissingExtraError(
                "near matches need rapidfuzz: pip install 'lexalign[files]', or give --memory-similarity 100"
            ) from None
        self._compare = Levenshtein.normalized_similarity
        self._keys = [key for key in keys if len(key) <= _MAX_LENGTH]
        # Less what rounding takes from a similarity that is just enough.
        self._least, self._most = options.similarity / 100 - 1e-9, options.most
        self._found: dict[str, list[MemoryMatch]] = {}
        self._postings = self._index()

    def _index(self) -> dict[str, list[int]]:
        """The texts that each word is among the rarest of."""
        words = [_words(key) for key in self._keys]
        counts = Counter(word for own in words for word in own)
        postings: dict[str, list[int]] = {}
        for number, own in enumerate(words):
            for word in sorted(own, key=lambda one: (counts[one], one))[: len(own) // 2 + 1]:
                postings.setdefault(word, []).append(number)
        return postings

    def add(self, key: str, unit: MemoryUnit) -> None:
        if len(key) > _MAX_LENGTH:
            return
        for number in self._candidates(key):
            text = self._keys[number]
            shorter, longer = sorted((len(text), len(key)))
            if shorter < self._least * longer or text == key:
                continue
            similarity = self._compare(text, key, score_cutoff=self._least - _SLACK)
            if similarity >= self._least:
                self._keep(text, MemoryMatch(unit, round(100 * similarity, 1)))

    def _candidates(self, key: str) -> Sequence[int]:
        lists = [self._postings[word] for word in _words(key) if word in self._postings]
        found: dict[int, None] = {}
        for numbers in sorted(lists, key=len):
            for number in numbers:
                found[number] = None
                if len(found) == _MAX_CANDIDATES:
                    return list(found)
        return list(found)

    def _keep(self, text: str, match: MemoryMatch) -> None:
        kept = self._found.setdefault(text, [])
        targets = {one.unit.target.text for one in kept}
        if match.unit.target.text not in targets:
            kept.append(match)
            kept.sort(key=lambda one: -one.similarity)  # stable: of equal ones, the first of the memory
            del kept[self._most :]

    def best(self, key: str) -> Iterator[MemoryMatch]:
        return iter(self._found.get(key, ()))


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))
