"""Candidate terms in a text: windows of words, by their shape.

    Select the new sales order in the list, and post it.
           --- --------------- ---     ----      ----
           windows over "new sales order": new, sales, order, new sales, sales order, new sales order

A window lies between punctuation, begins and ends with a word that is no function word, and may have one
run of function words inside that link the parts of a term ("point of sale", not "invoice is paid"). With a
capital inside a text even a function word may be the name of a button ("the New Folder button"); not in
German, which has them for politeness and for all nouns.

A window stands alone where function words, punctuation or an end of the text are on both sides: "new sales
order" does here, and "sales order" does not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexalign.characters import is_unspaced
from lexalign.glossary.matching.words import Word
from lexalign.metrics.words import is_punctuation
from lexalign.terminology.extraction.closed_classes import closed_classes
from lexalign.terminology.extraction.text_words import Flags, Indexes, TextWords
from lexalign.text.languages import primary

MAX_WORDS = 5
MAX_CHARACTERS = 8  # of a window in a script without spaces
_HIRAGANA = ("\u3040", "\u309f")  # endings and particles
_MAX_LETTERS = 60  # of a word
# Kinds of words; of function words, links may stand inside of a term, and others end it.
_MARK, _FUNCTION, _LINK, _CONTENT, _NUMBER = range(5)


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows in the order of the texts, each the words `first` to before `last`."""

    first: Indexes
    last: Indexes
    alone: Flags  # whether no content word stands beside it
    initial: Flags  # whether it begins a part of the text, where a capital says nothing

    def __getitem__(self, chosen: Flags) -> "Windows":
        return Windows(self.first[chosen], self.last[chosen], self.alone[chosen], self.initial[chosen])


class WindowFinder:
    def __init__(self, function_words: frozenset[str], language: str | None = None) -> None:
        self._function_words = function_words
        self._capitals_tell = language is None or primary(language) != "de"
        closed = closed_classes(language)
        self._links = function_words if closed is None else closed.links

    def find(self, words: TextWords) -> Windows:
        kinds = self._kinds(words)
        starts = np.flatnonzero(kinds == _CONTENT)
        unspaced = words.flags(lambda word: is_unspaced(word.text[0]))[starts]
        row, offset = _ends(words, kinds, starts, unspaced).nonzero()  # by their starts, the shortest first
        first = starts[row]
        last = first + offset + 1
        content = np.append(kinds >= _CONTENT, False)
        begins = words.is_first[first]
        before = ~begins & content[first - 1]
        after = (last < words.text_ends[first]) & content[last]
        initial = begins | (kinds[first - 1] == _MARK)
        return Windows(first, last, ~before & ~after, initial)

    def _kinds(self, words: TextWords) -> NDArray[np.int8]:
        """(N,) the kind of each word: a capital counts where no punctuation stands before it."""
        at_start, inside = (
            np.array([self._kind(word, each) for word in words.vocabulary], dtype=np.int8)[words.ids]
            for each in (False, True)
        )
        punctuation = words.flags(lambda word: is_punctuation(word.text)) & (at_start == _MARK)
        begins = words.is_first | np.append(True, punctuation[:-1])[: len(punctuation)]
        return np.where(begins, at_start, inside)

    def _kind(self, word: Word, inside: bool) -> int:
        first = word.text[0]
        if word.key in self._function_words:
            named = inside and self._capitals_tell and first.isupper() and len(word.text) > 1
            if named:
                return _CONTENT
            return _LINK if word.key in self._links else _FUNCTION
        if first.isdigit():
            return _NUMBER  # as in "Dynamics 365": never first
        if is_punctuation(word.text) or len(word.text) > _MAX_LETTERS:
            return _MARK
        if is_unspaced(first):
            return _MARK if _HIRAGANA[0] <= first <= _HIRAGANA[1] else _CONTENT
        return _CONTENT if len(word.text) > 1 else _MARK


def _ends(words: TextWords, kinds: NDArray[np.int8], starts: Indexes, unspaced: Flags) -> Flags:
    """(starts, longest) whether a window ends with the word so many words behind its first."""
    longest = MAX_CHARACTERS if unspaced.any() else MAX_WORDS
    found = np.zeros((len(starts), longest), dtype=np.bool_)
    open_ones = np.arange(len(starts))  # windows that may go on
    runs = np.zeros(len(starts), dtype=np.int8)  # of links inside
    ends = words.text_ends[starts]
    for offset in range(longest):
        indexes = starts[open_ones] + offset
        inside = (indexes < ends[open_ones]) & (unspaced[open_ones] | (offset < MAX_WORDS))
        open_ones, indexes = open_ones[inside], indexes[inside]
        kind = kinds[indexes]
        runs[open_ones] += (kind == _LINK) & (kinds[indexes - 1] != _LINK)
        continued = np.where(unspaced[open_ones], kind == _CONTENT, kind > _FUNCTION) & (runs[open_ones] <= 1)
        found[open_ones[continued & (kind >= _CONTENT)], offset] = True
        open_ones = open_ones[continued]
    return found
