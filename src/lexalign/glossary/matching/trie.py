"""A trie of terms over words: all that may be found in a text, overlapping or not.

A word of a text goes on along a branch by its folded spelling, or by its lemma, where it is an inflected form
of the branch's word.

A term of one word that is not its own lemma was written so for a reason: "goods" is not found in "good" or
"best". Only longer forms of it are: "Menschenrechte" in "Menschenrechten".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lexalign.contracts.alignment import Span
from lexalign.glossary.entries import Entry
from lexalign.glossary.matching.casing import agrees
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.glossary.matching.match import Manner
from lexalign.glossary.matching.words import Word, split


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that stands in a text, if nothing longer does."""

    span: Span
    entry: Entry
    manner: Manner


@dataclass(frozen=True, slots=True)
class _Term:
    """An entry and its words; a rigid one is found only in forms that begin as it is spelled."""

    entry: Entry
    words: tuple[str, ...]
    rigid: str | None = None

    def fits(self, words: Sequence[Word], inflected: bool) -> bool:
        if inflected and self.rigid is not None and not words[0].key.startswith(self.rigid):
            return False
        pairs = zip(self.words, words, strict=True)
        return all(own == word.text or agrees(own, word.text, self.entry.case) for own, word in pairs)


@dataclass(slots=True)
class _Node:
    """Where a beginning of terms leads: by the spelling of the next word, or by its lemma."""

    by_spelling: dict[str, "_Node"] = field(default_factory=dict)
    by_lemma: dict[str, list["_Node"]] = field(default_factory=dict)
    terms: list[_Term] = field(default_factory=list)


class TermTrie:
    def __init__(self, lemmas: Lemmas | None) -> None:
        """Without lemmas only spellings are compared."""
        self._lemmas, self._root = lemmas, _Node()

    def add(self, entry: Entry) -> None:
        words = split(entry.source)
        node = self._root
        for index, word in enumerate(words):
            key = _key(word.key, word, index > 0)
            if key not in node.by_spelling:
                node.by_spelling[key] = _Node()
                for lemma in self._lemmas_of(word):
                    found = node.by_lemma.setdefault(_key(lemma, word, index > 0), [])
                    found.append(node.by_spelling[key])
            node = node.by_spelling[key]
        node.terms.append(_Term(entry, tuple(word.text for word in words), self._rigid(words)))

    def find(self, words: Sequence[Word]) -> Iterator[Candidate]:
        for first in range(len(words)):
            nodes = [(self._root, False)]
            for index in range(first, len(words)):
                nodes = [
                    found for node in nodes for found in self._follow(*node, words[index], index > first)
                ]
                if not nodes:
                    break
                for node, inflected in nodes:
                    yield from _candidates(node, inflected, words[first : index + 1])

    def _follow(self, node: _Node, inflected: bool, word: Word, later: bool) -> Iterator[tuple[_Node, bool]]:
        """Where a word leads from a node, and whether some word on the way was inflected."""
        spelled = node.by_spelling.get(_key(word.key, word, later))
        if spelled is not None:
            yield spelled, inflected
        if node.by_lemma:
            found = {
                id(child): child
                for lemma in self._lemmas_of(word)
                for child in node.by_lemma.get(_key(lemma, word, later), ())
            }
            yield from ((child, True) for child in found.values() if child is not spelled)

    def _lemmas_of(self, word: Word) -> tuple[str, ...]:
        return self._lemmas.of(word.text) if self._lemmas is not None and word.key[0].isalpha() else ()

    def _rigid(self, words: Sequence[Word]) -> str | None:
        lemmas = self._lemmas_of(words[0])
        return words[0].key if len(words) == 1 and lemmas and words[0].key not in lemmas else None


def _candidates(node: _Node, inflected: bool, words: Sequence[Word]) -> Iterator[Candidate]:
    for term in node.terms:
        if term.fits(words, inflected):
            same = term.words == tuple(word.text for word in words)
            manner: Manner = "inflected" if inflected else "exact" if same else "case"
            yield Candidate((words[0].start, words[-1].end), term.entry, manner)


def _key(spelling: str, word: Word, later: bool) -> str:
    """Within a term it counts whether white space stands before a word."""
    return f"+{spelling}" if later and word.glued else spelling
