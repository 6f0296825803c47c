"""Matching of terms in running text: a glossary is compiled once, and matched in any number of texts.

    terms   house, White House              text   two White Houses and a lighthouse
    found   (4, 16) "White Houses"          "Houses" lies in it; "lighthouse" is another word

Overlaps: the longest match is taken first, then the next longest that shares no character with those taken;
of two equally long ones the earlier. At the same place a match of the spelling takes precedence over one of
the lemma. The remaining entries at one place are merged: keep comes before must, must before prefer; targets
of the same policy are alternatives; and those to be avoided are a constraint of their own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary, TermPolicy
from lexalign.glossary.inflection.compounds import COMPOUNDS_BY_DEFAULT, compound_parts
from lexalign.glossary.inflection.forms import inflect, is_source_verb
from lexalign.glossary.matching.casing import in_any_case, starts_sentence, with_source_case
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.trie import Candidate, MatchKind, TermTrie
from lexalign.glossary.matching.words import read_words
from lexalign.text.languages import primary

SourceForms = Literal["inflected", "exact"]
TargetForms = Literal["listed", "all"]
_PRECEDENCE: tuple[TermPolicy, ...] = ("keep", "must", "prefer")  # the first that is present counts
_EXPLANATIONS = {
    "exact": "stands as in the glossary",
    "case": "differs from the glossary's in case only",
    "inflected": "is another form of the glossary's",
}


@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """Which forms match. `source_forms`: inflected forms of a term in the text too, or only its own.

    `target_forms`: inflected forms of the targets are allowed too (`all`), or only those `listed`; an entry
    may have a rule of its own. `compounds`: targets may be parts of compounds, where that is the default of
    the target language, or only where an entry allows it.
    """

    source_forms: SourceForms = "inflected"
    target_forms: TargetForms = "all"
    compounds: bool = True

    def __post_init__(self) -> None:
        for name, known in (("source_forms", SourceForms), ("target_forms", TargetForms)):
            if getattr(self, name) not in get_args(known):
                raise LexalignError(
                    f"unknown {name} {getattr(self, name)!r}; choose from {', '.join(get_args(known))}"
                )


@dataclass(frozen=True, kw_only=True)
class Match:
    """A place of a text where a glossary matches, and the constraint for the translation.

    Several entries with the same policy make one constraint.
    """

    span: Span
    text: str  # as in the text
    entries: tuple[Entry, ...]
    kind: MatchKind
    constraint: Constraint

    @property
    def entry(self) -> Entry:
        return self.entries[0]

    @property
    def explanation(self) -> str:
        """Why the term matches here, and where its entries were read, in words."""
        found = f'"{self.text}" {_EXPLANATIONS[self.kind]} "{self.entry.source}"'
        places = [str(entry.place) for entry in self.entries if entry.place is not None]
        return f"{found} ({'; '.join(places)})" if places else found


class Matcher:
    """A compiled glossary; languages that are not given are the glossary's own."""

    def __init__(
        self,
        glossary: Glossary,
        options: MatchOptions | None = None,
        *,
        source_language: str | None = None,
        target_language: str | None = None,
        lemmas: Lemmas | None = None,
    ) -> None:
        """`lemmas` replaces simplemma; without a known language only spellings are compared."""
        self.options = options or MatchOptions()
        self.glossary = glossary.for_languages(source_language, target_language)
        self.source_language = source_language or glossary.source_language
        self.target_language = target_language or glossary.target_language
        self._inflected: dict[tuple[str, tuple[str, ...], str, bool], tuple[str, ...]] = {}
        if self.options.source_forms == "exact":
            lemmas = None
        elif lemmas is None and self.source_language:
            lemmas = find_lemmas(self.source_language)
        self._trie = TermTrie(lemmas, self.source_language)
        for entry in self.glossary:
            self._trie.add(entry)

    def match(self, text: str) -> list[Match]:
        """The matches in a text, in its order."""
        by_span: dict[Span, list[Candidate]] = {}
        for candidate in _without_overlaps(self._trie.find(read_words(text)), len(text)):
            by_span.setdefault(candidate.span, []).append(candidate)
        return [match for span in sorted(by_span) for match in self._merge(text, span, by_span[span])]

    def constraints(self, text: str) -> tuple[Constraint, ...]:
        return tuple(match.constraint for match in self.match(text))

    def _merge(self, text: str, span: Span, candidates: Sequence[Candidate]) -> Iterator[Match]:
        literal = [candidate for candidate in candidates if candidate.kind != "inflected"]
        candidates = literal or candidates
        policies = {candidate.entry.policy for candidate in candidates}
        chosen = next((policy for policy in _PRECEDENCE if policy in policies), None)
        for policy in (chosen, "avoid"):
            merged = [candidate for candidate in candidates if candidate.entry.policy == policy]
            if merged:
                yield self._match(text, span, merged)

    def _match(self, text: str, span: Span, merged: Sequence[Candidate]) -> Match:
        found = text[slice(*span)]
        policy = merged[0].entry.policy
        targets = [found] if policy == "keep" else []
        parts: list[str] = []
        for candidate in merged:
            own = self._targets(text, span, candidate)
            targets += own
            parts += self._parts(candidate, found, own)
        return Match(
            span=span,
            text=found,
            entries=tuple(candidate.entry for candidate in merged),
            kind=merged[0].kind,
            constraint=Constraint(
                targets=tuple(dict.fromkeys(targets)),
                source=span,
                kind="must" if policy == "keep" else policy,
                parts=tuple(dict.fromkeys(parts)),
            ),
        )

    def _targets(self, text: str, span: Span, candidate: Candidate) -> tuple[str, ...]:
        entry = candidate.entry
        targets = self.target_forms(entry, text[slice(*span)], inflected=candidate.kind == "inflected")
        if entry.case == "as-typed":
            return targets
        if entry.policy == "avoid":
            return in_any_case(targets)
        first = starts_sentence(text, span[0])
        return with_source_case(targets, candidate.headword.text, text[slice(*span)], first=first)

    def _parts(self, candidate: Candidate, found: str, targets: tuple[str, ...]) -> tuple[str, ...]:
        """What may stand within a longer word instead of the targets."""
        entry = candidate.entry
        language = entry.target_language or self.target_language
        if not language or entry.policy in ("avoid", "keep") or entry.compounds == "whole-word":
            return ()
        if entry.compounds == "default":
            inflected = candidate.kind == "inflected"
            by_default = self.options.compounds and primary(language) in COMPOUNDS_BY_DEFAULT
            if not by_default or entry.forms == "exact" or self._is_name(entry, found, inflected):
                return ()
        return compound_parts(targets, language)

    def target_forms(self, entry: Entry, found: str, *, inflected: bool = False) -> tuple[str, ...]:
        """The targets of an entry, and their forms where they are allowed.

        `found` is the term as it stands in the text, which may be `inflected`.
        """
        language = entry.target_language or self.target_language
        if not language or entry.policy == "keep":
            return entry.targets
        by_default = self.options.target_forms == "all" and not self._is_name(entry, found, inflected)
        makes_forms = entry.forms == "inflected" or (entry.forms == "default" and by_default)
        key = entry.source, entry.targets, language, makes_forms
        if key not in self._inflected:
            source = entry.source_language or self.source_language
            verb = makes_forms and is_source_verb(entry.source, source, _dictionary(source))
            self._inflected[key] = inflect(
                entry.targets, language, _dictionary(language), verb=verb, bare_only=not makes_forms
            )
        return self._inflected[key]

    def _is_name(self, entry: Entry, found: str, inflected: bool) -> bool:
        return is_name(entry, found, entry.source_language or self.source_language, inflected)


def is_name(entry: Entry, found: str, language: str | None, inflected: bool) -> bool:
    """Whether a term is written in one form.

    It is in a case of its own, or in all languages alike; or it is a name or a label, with a capital in a
    language that has none for nouns: "Extension", "Due date". In the plural it is no name ("Member States"),
    and a name of several words is declined: "European Union", "der Europäischen Union".
    """
    if entry.case == "as-typed" or entry.targets == (entry.source,):
        return True
    if inflected or not (entry.source[:1].isupper() and found[:1].isupper()):
        return False
    if language is None or primary(language) == "de":
        return False
    capitals = [word[0].isupper() for word in entry.source.split() if word[0].isalpha()]
    return not (len(capitals) > 1 and all(capitals) and all(" " in target for target in entry.targets))


def _dictionary(language: str | None) -> Lemmas | None:
    """The dictionary of a language; without one, only forms are made whose rules leave no choice."""
    if language is None:
        return None
    try:
        return find_lemmas(language)
    except LexalignError:
        return None


def _without_overlaps(candidates: Iterable[Candidate], length: int) -> list[Candidate]:
    """The longest candidates first; several may have the same span."""
    chosen: list[Candidate] = []
    taken = bytearray(length)  # by character
    spans: set[Span] = set()
    for candidate in sorted(candidates, key=lambda one: (one.span[0] - one.span[1], one.span[0])):
        start, end = candidate.span
        if candidate.span in spans or taken.find(1, start, end) < 0:
            chosen.append(candidate)
            spans.add(candidate.span)
            taken[start:end] = b"\x01" * (end - start)
    return chosen
