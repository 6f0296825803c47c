"""Terms in running text: a glossary compiled once, then asked about any number of texts.

The terms make a trie of words. A word of a text goes on along a branch by its folded spelling, or by its
lemma, where it is an inflected form of the branch's word:

    terms   house, White House              text   two White Houses and a lighthouse
    found   (4, 16) "White Houses"          "Houses" lies in it; "lighthouse" is another word

A term of one word that is not its own lemma was written so for a reason: "goods" is not found in "good" or
"best". Only longer forms of it are: "Menschenrechte" in "Menschenrechten".

Overlaps: the longest match is taken first, then the next longest that shares no character with those taken;
of two equally long ones the earlier. At one and the same place a match of the spelling beats one of the
lemma. Entries that are left at one place are merged: keep comes before must, must before prefer; targets of
the same policy are alternatives; and what is to be avoided is asked beside them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary, TermPolicy
from lexalign.glossary.inflection.forms import inflect
from lexalign.glossary.matching.casing import agrees, starts_sentence, written
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.match import Manner, Match
from lexalign.glossary.matching.words import Word, split

SourceForms = Literal["inflected", "exact"]
TargetForms = Literal["listed", "follow", "all"]
_WANTED: tuple[TermPolicy, ...] = ("keep", "must", "prefer")  # the first that is there counts


@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """Which forms count. `source_forms`: a term's inflected forms in the text too, or only its own.

    `target_forms`: only those `listed`; regular inflected forms too where the source stands in another form
    than the glossary's (`follow`), or always (`all`).
    """

    source_forms: SourceForms = "inflected"
    target_forms: TargetForms = "follow"

    def __post_init__(self) -> None:
        for name, known in (("source_forms", SourceForms), ("target_forms", TargetForms)):
            if getattr(self, name) not in get_args(known):
                raise LexalignError(
                    f"unknown {name} {getattr(self, name)!r}; there are {', '.join(get_args(known))}"
                )


@dataclass(slots=True)
class _Node:
    """Where a beginning of terms leads: by the spelling of the next word, or by its lemma."""

    by_spelling: dict[str, "_Node"] = field(default_factory=dict)
    by_lemma: dict[str, list["_Node"]] = field(default_factory=dict)
    terms: list["_Term"] = field(default_factory=list)


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
        return all(agrees(own, word.text, self.entry.case) for own, word in pairs)


@dataclass(frozen=True, slots=True)
class _Candidate:
    span: Span
    entry: Entry
    manner: Manner


class Matcher:
    """A glossary that is ready to be asked; languages that are not given are the glossary's own."""

    def __init__(
        self,
        glossary: Glossary,
        options: MatchOptions | None = None,
        *,
        source_language: str | None = None,
        target_language: str | None = None,
        lemmas: Lemmas | None = None,
    ) -> None:
        """`lemmas` instead of simplemma's; without a known language only spellings are compared."""
        self.options = options or MatchOptions()
        self.glossary = glossary.for_languages(source_language, target_language)
        self.source_language = source_language or glossary.source_language
        self.target_language = target_language or glossary.target_language
        self._lemmas = lemmas if self.options.source_forms == "inflected" else None
        if lemmas is None and self.source_language and self.options.source_forms == "inflected":
            self._lemmas = find_lemmas(self.source_language)
        self._inflected: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._root = _Node()
        for entry in self.glossary:
            self._add(entry)

    def match(self, text: str) -> list[Match]:
        """What the glossary asks of a translation of `text`, in the order of the text."""
        chosen = _without_overlaps(self._candidates(split(text)))
        places: dict[Span, list[_Candidate]] = {}
        for candidate in chosen:
            places.setdefault(candidate.span, []).append(candidate)
        return [match for span in sorted(places) for match in self._merge(text, span, places[span])]

    def constraints(self, text: str) -> tuple[Constraint, ...]:
        return tuple(match.constraint for match in self.match(text))

    def _add(self, entry: Entry) -> None:
        words = split(entry.source)
        node = self._root
        for index, word in enumerate(words):
            key = _key(word.key, word, index)
            if key not in node.by_spelling:
                node.by_spelling[key] = _Node()
                if self._lemmas is not None and word.key[0].isalpha():
                    for lemma in self._lemmas.of(word.text):
                        found = node.by_lemma.setdefault(_key(lemma, word, index), [])
                        found.append(node.by_spelling[key])
            node = node.by_spelling[key]
        node.terms.append(_Term(entry, tuple(word.text for word in words), self._rigid(words)))

    def _rigid(self, words: Sequence[Word]) -> str | None:
        if len(words) != 1 or self._lemmas is None or words[0].key in self._lemmas.of(words[0].text):
            return None
        return words[0].key

    def _candidates(self, words: Sequence[Word]) -> Iterator[_Candidate]:
        for first in range(len(words)):
            yield from self._from(words, first)

    def _from(self, words: Sequence[Word], first: int) -> Iterator[_Candidate]:
        """All terms that begin with one word of the text."""
        open_nodes = [(self._root, False)]
        for index in range(first, len(words)):
            open_nodes = [
                found for node in open_nodes for found in self._follow(*node, words[index], index > first)
            ]
            if not open_nodes:
                return
            seen = words[first : index + 1]
            for node, inflected in open_nodes:
                yield from _candidates_of(node, inflected, seen)

    def _follow(self, node: _Node, inflected: bool, word: Word, later: bool) -> Iterator[tuple[_Node, bool]]:
        spelled = node.by_spelling.get(_key(word.key, word, later))
        if spelled is not None:
            yield spelled, inflected
        if node.by_lemma and self._lemmas is not None:
            found = {
                id(child): child
                for lemma in self._lemmas.of(word.text)
                for child in node.by_lemma.get(_key(lemma, word, later), ())
            }
            yield from ((child, True) for child in found.values() if child is not spelled)

    def _merge(self, text: str, span: Span, candidates: Sequence[_Candidate]) -> Iterator[Match]:
        literal = [candidate for candidate in candidates if candidate.manner != "inflected"]
        candidates = literal or candidates
        policies = {candidate.entry.policy for candidate in candidates}
        wanted = next((policy for policy in _WANTED if policy in policies), None)
        for policy in (wanted, "avoid"):
            agreed = [candidate for candidate in candidates if candidate.entry.policy == policy]
            if agreed:
                yield self._match(text, span, agreed)

    def _match(self, text: str, span: Span, agreed: Sequence[_Candidate]) -> Match:
        found = text[slice(*span)]
        policy = agreed[0].entry.policy
        targets = [found] if policy == "keep" else []
        for candidate in agreed:
            targets += self._targets(text, span, candidate)
        return Match(
            span=span,
            text=found,
            entries=tuple(candidate.entry for candidate in agreed),
            manner=agreed[0].manner,
            constraint=Constraint(
                targets=tuple(dict.fromkeys(targets)),
                source=span,
                kind="must" if policy == "keep" else policy,
            ),
        )

    def _targets(self, text: str, span: Span, candidate: _Candidate) -> tuple[str, ...]:
        entry, targets = candidate.entry, candidate.entry.targets
        language = entry.target_language or self.target_language
        follows = self.options.target_forms == "follow" and candidate.manner == "inflected"
        if language and (follows or self.options.target_forms == "all"):
            targets = self._inflect(targets, language)
        if entry.case == "as-typed":
            return targets
        first = starts_sentence(text, span[0])
        return written(targets, entry.source, text[slice(*span)], first=first)

    def _inflect(self, targets: tuple[str, ...], language: str) -> tuple[str, ...]:
        if targets not in self._inflected:
            self._inflected[targets] = inflect(targets, language, _dictionary(language))
        return self._inflected[targets]


def _dictionary(language: str) -> Lemmas | None:
    """Regular forms can be made without a dictionary too, only less well."""
    try:
        return find_lemmas(language)
    except LexalignError:
        return None


def _candidates_of(node: _Node, inflected: bool, seen: Sequence[Word]) -> Iterator[_Candidate]:
    for term in node.terms:
        if term.fits(seen, inflected):
            same = term.words == tuple(word.text for word in seen)
            manner: Manner = "inflected" if inflected else "exact" if same else "case"
            yield _Candidate((seen[0].start, seen[-1].end), term.entry, manner)


def _key(spelling: str, word: Word, later: object) -> str:
    """Within a term it counts whether white space stands before a word."""
    return f"+{spelling}" if later and word.glued else spelling


def _without_overlaps(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """The longest first; the same place may be taken by several."""
    chosen: list[_Candidate] = []
    taken: dict[int, Span] = {}  # by character
    for candidate in sorted(candidates, key=lambda one: (one.span[0] - one.span[1], one.span[0])):
        start, end = candidate.span
        holders = {taken.get(position) for position in range(start, end)}
        if holders <= {None, candidate.span}:
            chosen.append(candidate)
            taken.update(dict.fromkeys(range(start, end), candidate.span))
    return chosen
