"""Candidate terms in a text: windows of words, by their shape.

    Select the new sales order in the list, and post it.
           --- --------------- ---     ----      ----
           windows over "new sales order": new, sales, order, new sales, sales order, new sales order

A window lies between punctuation, begins and ends with a word that is no function word, and may have one
run of function words inside ("point of sale"). With a capital inside a text even a function word may be the
name of a button ("the New Folder button"); not in German, which has them for politeness and for all nouns.

A window stands alone where function words, punctuation or an end of the text are on both sides: "new sales
order" does here, and "sales order" does not.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lexalign.characters import is_unspaced
from lexalign.glossary.matching.words import Word
from lexalign.metrics.words import is_punctuation
from lexalign.text.languages import primary

MAX_WORDS = 5
MAX_CHARACTERS = 8  # of a window in a script without spaces
_HIRAGANA = ("\u3040", "\u309f")  # endings and particles
_MAX_LETTERS = 60  # of a word
_NUM_CACHED = 1 << 16
_CONTENT = frozenset({"content", "number"})


class Window(NamedTuple):
    """The words `start` to `end` of a text."""

    start: int
    end: int
    alone: bool  # whether no content word stands beside it
    initial: bool  # whether it begins a part of the text, where a capital says nothing


class WindowFinder:
    def __init__(self, function_words: frozenset[str], language: str | None = None) -> None:
        self._function_words = function_words
        self._capitals_tell = language is None or primary(language) != "de"
        self._kinds: dict[str, tuple[str, str]] = {}  # of known words, after punctuation and inside

    def find(self, words: Sequence[Word]) -> Iterator[Window]:
        kinds = self._all_kinds(words)
        for start, kind in enumerate(kinds):
            if kind == "content":
                yield from self._from(start, words, kinds)

    def _all_kinds(self, words: Sequence[Word]) -> list[str]:
        found, inside = [], False
        for word in words:
            both = self._kinds.get(word.text) or self._look_up(word)
            found.append(both[inside])
            inside = both[0] != "mark" or not is_punctuation(word.text)
        return found

    def _look_up(self, word: Word) -> tuple[str, str]:
        both = self._kind(word, False), self._kind(word, True)
        if len(word.text) <= _MAX_LETTERS:
            if len(self._kinds) >= _NUM_CACHED:
                self._kinds.clear()
            self._kinds[word.text] = both
        return both

    def _from(self, start: int, words: Sequence[Word], kinds: Sequence[str]) -> Iterator[Window]:
        unspaced = is_unspaced(words[start].text[0])
        longest = MAX_CHARACTERS if unspaced else MAX_WORDS
        before = start == 0 or kinds[start - 1] not in _CONTENT
        initial = start == 0 or kinds[start - 1] == "mark"
        runs = 0  # of function words inside
        for end in range(start + 1, min(len(words), start + longest) + 1):
            kind = kinds[end - 1]
            if kind == "mark" or (unspaced and kind != "content"):
                return
            if kind == "function":
                runs += end - 1 == start or kinds[end - 2] != "function"
                if runs > 1:
                    return
                continue
            alone = before and (end == len(words) or kinds[end] not in _CONTENT)
            yield Window(start, end, alone, initial)

    def _kind(self, word: Word, inside: bool) -> str:
        first = word.text[0]
        if word.key in self._function_words:
            named = inside and self._capitals_tell and first.isupper() and len(word.text) > 1
            return "content" if named else "function"
        if first.isdigit():
            return "number"  # as in "Dynamics 365": never first
        if is_punctuation(word.text) or len(word.text) > _MAX_LETTERS:
            return "mark"
        if is_unspaced(first):
            return "mark" if _HIRAGANA[0] <= first <= _HIRAGANA[1] else "content"
        return "content" if len(word.text) > 1 else "mark"
