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
from dataclasses import dataclass

from lexalign.characters import is_unspaced
from lexalign.glossary.matching.words import Word
from lexalign.metrics.words import is_punctuation
from lexalign.text.languages import primary

MAX_WORDS = 5
MAX_CHARACTERS = 8  # of a window in a script without spaces
_HIRAGANA = ("\u3040", "\u309f")  # endings and particles


@dataclass(frozen=True, slots=True)
class Window:
    """The words `start` to `end` of a text."""

    start: int
    end: int
    alone: bool  # whether no content word stands beside it
    initial: bool  # whether it begins a part of the text, where a capital says nothing


class WindowFinder:
    def __init__(self, function_words: frozenset[str], language: str | None = None) -> None:
        self._function_words = function_words
        self._capitals_tell = language is None or primary(language) != "de"

    def find(self, words: Sequence[Word]) -> Iterator[Window]:
        inside = [False, *(not is_punctuation(word.text) for word in words)]
        kinds = [self._kind(*pair) for pair in zip(words, inside, strict=False)]
        for start, kind in enumerate(kinds):
            if kind == "content":
                yield from self._from(start, words, kinds)

    def _from(self, start: int, words: Sequence[Word], kinds: Sequence[str]) -> Iterator[Window]:
        unspaced = is_unspaced(words[start].text[0])
        longest = MAX_CHARACTERS if unspaced else MAX_WORDS
        before = start == 0 or kinds[start - 1] not in ("content", "number")
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
            after = end == len(words) or kinds[end] not in ("content", "number")
            initial = start == 0 or kinds[start - 1] == "mark"
            yield Window(start, end, before and after, initial)

    def _kind(self, word: Word, inside: bool) -> str:
        first = word.text[0]
        if word.key in self._function_words:
            named = inside and self._capitals_tell and first.isupper() and len(word.text) > 1
            return "content" if named else "function"
        if first.isdigit():
            return "number"  # as in "Dynamics 365": never first
        if is_punctuation(word.text) or len(word.text) > 60:
            return "mark"
        if is_unspaced(first):
            return "mark" if _HIRAGANA[0] <= first <= _HIRAGANA[1] else "content"
        return "content" if len(word.text) > 1 else "mark"
