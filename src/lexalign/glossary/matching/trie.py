"""A trie of terms over words, which finds all candidates in a text, overlapping or not.

A word of a text follows a branch by its folded spelling, or by its lemma, where it is an inflected form of
the branch's word; German adjectives before their nouns by their stem. The text is read once, and at each word
there are at most as many open paths as the longest term has words.

A term of one word that is not its own lemma is meant in this form: "goods" does not match "good" or "best".
Only longer forms of it do: "Menschenrechte" matches "Menschenrechten".
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lexalign.contracts.alignment import Span
from lexalign.glossary.entries import Entry
from lexalign.glossary.matching.casing import case_matches
from lexalign.glossary.matching.headwords import (
    DETERMINERS,
    Headword,
    adjective_stem,
    headword,
    may_start_in_lower_case,
)
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.glossary.matching.words import Word, split

MatchKind = Literal["exact", "case", "inflected"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that matches in a text, unless a longer one does."""

    span: Span
    entry: Entry
    kind: MatchKind
    headword: Headword


@dataclass(frozen=True, slots=True)
class _Term:
    """An entry and its words; one with a `prefix` matches only forms that begin with it."""

    entry: Entry
    headword: Headword
    words: tuple[str, ...]
    prefix: str | None = None
    lower_start: bool = False  # its first word may be in lower case

    def fits(self, words: Sequence[Word], inflected: bool) -> bool:
        if inflected and self.prefix is not None and not words[0].key.startswith(self.prefix):
            return False
        own = self.words
        if self.lower_start and self.entry.case == "match-source":
            own = (own[0].lower(), *own[1:])
        pairs = zip(own, words, strict=True)
        return all(one == word.text or case_matches(one, word.text, self.entry.case) for one, word in pairs)


@dataclass(slots=True)
class _Node:
    """A prefix of terms; its branches are by the spelling of the next word, its lemma or its stem."""

    by_spelling: dict[str, "_Node"] = field(default_factory=dict)
    by_lemma: dict[str, list["_Node"]] = field(default_factory=dict)
    by_stem: dict[str, dict[int, "_Node"]] = field(default_factory=dict)
    terms: list[_Term] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Path:
    """Words of the text that lead to a node of the trie."""

    node: _Node
    before: str  # the word before the first of them
    words: tuple[Word, ...]
    inflected: bool

    def extended(self, node: _Node, word: Word, inflected: bool) -> "_Path":
        return _Path(node, self.before, (*self.words, word), self.inflected or inflected)

    def candidates(self) -> Iterator[Candidate]:
        for term in self.node.terms:
            if term.headword.verb and self.before in DETERMINERS:
                continue
            if term.fits(self.words, self.inflected):
                same = term.words == tuple(word.text for word in self.words)
                kind: MatchKind = "inflected" if self.inflected else "exact" if same else "case"
                span = self.words[0].start, self.words[-1].end
                yield Candidate(span, term.entry, kind, term.headword)


class TermTrie:
    def __init__(self, lemmas: Lemmas | None, language: str | None = None) -> None:
        """Without lemmas only spellings are compared."""
        self._lemmas, self._language, self._root = lemmas, language, _Node()

    def add(self, entry: Entry) -> None:
        head = headword(entry.source, entry.source_language or self._language)
        words = split(head.text)
        node = self._root
        for index, word in enumerate(words):
            node = self._child(node, word, later=index > 0, last=index == len(words) - 1)
        texts = tuple(word.text for word in words)
        lower_start = may_start_in_lower_case(texts, self._language) if self._lemmas is not None else False
        node.terms.append(_Term(entry, head, texts, self._required_prefix(words), lower_start))

    def find(self, words: Iterable[Word]) -> Iterator[Candidate]:
        paths: list[_Path] = []
        before = ""
        for word in words:
            longer = [
                (path.extended(node, word, inflected), complete)
                for path in paths
                for node, inflected, complete in self._follow(path.node, word, later=True)
            ]
            for node, inflected, complete in self._follow(self._root, word, later=False):
                longer.append((_Path(node, before, (word,), inflected), complete))
            for path, complete in longer:
                if complete:
                    yield from path.candidates()
            paths = [path for path, _ in longer if path.node.by_spelling]
            before = word.key

    def _follow(self, node: _Node, word: Word, *, later: bool) -> Iterator[tuple[_Node, bool, bool]]:
        """Children that a word leads to, whether as an inflected form, and whether a term may end there."""
        spelled = node.by_spelling.get(_key(word.key, word, later))
        if spelled is not None:
            yield spelled, False, True
        if not node.by_lemma:
            return
        seen = {id(spelled)}
        for lemma in self._lemmas_of(word):
            for child in node.by_lemma.get(_key(lemma, word, later), ()):
                if id(child) not in seen:
                    seen.add(id(child))
                    yield child, True, True
        if node.by_stem and (stem := adjective_stem(word.key, self._language)) is not None:
            for child in node.by_stem.get(_key(stem, word, later), {}).values():
                if id(child) not in seen:
                    yield child, True, False

    def _child(self, node: _Node, word: Word, *, later: bool, last: bool) -> _Node:
        key = _key(word.key, word, later)
        if key not in node.by_spelling:
            node.by_spelling[key] = _Node()
            for lemma in self._lemmas_of(word):
                node.by_lemma.setdefault(_key(lemma, word, later), []).append(node.by_spelling[key])
        child = node.by_spelling[key]
        if self._lemmas is not None and not last:
            stem = adjective_stem(word.key, self._language)
            if stem is not None:
                # Keyed by identity: to compare nodes would compare everything below them.
                node.by_stem.setdefault(_key(stem, word, later), {})[id(child)] = child
        return child

    def _lemmas_of(self, word: Word) -> tuple[str, ...]:
        return self._lemmas.of(word.text) if self._lemmas is not None and word.key[:1].isalpha() else ()

    def _required_prefix(self, words: Sequence[Word]) -> str | None:
        lemmas = self._lemmas_of(words[0])
        return words[0].key if len(words) == 1 and lemmas and words[0].key not in lemmas else None


def _key(spelling: str, word: Word, later: bool) -> str:
    """The key of a branch; within a term it matters whether white space precedes a word."""
    return f"+{spelling}" if later and word.attached else spelling
