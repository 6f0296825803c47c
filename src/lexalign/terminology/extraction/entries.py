"""A glossary from candidates, beside one that is there already, whose entries stay as they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.glossary.inflection.base_forms import base_form
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.words import fold, split
from lexalign.terminology.extraction.candidates import TermCandidate, TermTranslation
from lexalign.terminology.extraction.term_keys import TermKeys

_MIN_FORM_COUNT = 2
_MANY_FORMS = 10  # a translation that is seen so often has its dictionary form among them, if it has one


@dataclass(frozen=True, kw_only=True)
class EntryOptions:
    """Which candidates become entries; a glossary is for terms, not for all words that a memory has.

    `min_share`: a further translation of this share is an alternative, among which a model chooses;
    `min_form_share`: so is a form of the translations that makes up this share of their occurrences;
    `min_weirdness`: how much more frequent than in general text a term must be, as a power of ten;
    `min_nominal`: the share of its translations that are nouns, where capitals tell (German).
    """

    min_confidence: float = 0.5
    min_share: float = 0.25
    min_form_share: float = 0.03
    min_weirdness: float = 0.7
    min_nominal: float = 0.5

    def __post_init__(self) -> None:
        for name in ("min_confidence", "min_share", "min_form_share", "min_nominal"):
            if not 0 <= getattr(self, name) <= 1:
                raise LexalignError(f"{name} is a share: between 0 and 1")

    def accepts(self, candidate: TermCandidate) -> bool:
        if candidate.confidence < self.min_confidence:
            return False
        named = candidate.policy == "keep"
        return named or (candidate.weirdness >= self.min_weirdness and candidate.nominal >= self.min_nominal)


@dataclass(frozen=True)
class Contradiction:
    """An entry of a glossary that the memory mostly translates otherwise."""

    entry: Entry
    candidate: TermCandidate


class KnownTerms:
    """A glossary's entries by the keys of their sources."""

    def __init__(self, glossary: Glossary, source_language: str | None, target_language: str | None) -> None:
        self.glossary = glossary
        self._target_keys = TermKeys(target_language)
        keys = TermKeys(source_language)
        self._entries: dict[str, list[Entry]] = {}
        for entry in glossary:
            self._entries.setdefault(keys.key(split(entry.source)), []).append(entry)

    def __contains__(self, candidate: TermCandidate) -> bool:
        return candidate.lemma in self._entries

    def contradictions(self, candidates: Sequence[TermCandidate]) -> list[Contradiction]:
        """The entries whose targets are not what the memory has most often."""
        return [
            Contradiction(entries[0], candidate)
            for candidate in candidates
            if (entries := self._entries.get(candidate.lemma)) and not self._allows(entries, candidate)
        ]

    def _allows(self, entries: list[Entry], candidate: TermCandidate) -> bool:
        if any(entry.policy == "keep" for entry in entries):
            return candidate.best.target in candidate.forms
        allowed = [target for entry in entries if entry.policy != "avoid" for target in entry.targets]
        if not allowed:
            avoided = {self._target_keys.key(split(target)) for entry in entries for target in entry.targets}
            return candidate.best.lemma not in avoided
        return candidate.best.lemma in {self._target_keys.key(split(target)) for target in allowed}


def new_entries(
    candidates: Sequence[TermCandidate],
    known: KnownTerms,
    options: EntryOptions,
    languages: tuple[str | None, str | None],
) -> list[Entry]:
    """An entry for each candidate that is sure enough and not in the glossary."""
    return [
        to_entry(candidate, options, languages)
        for candidate in candidates
        if options.accepts(candidate) and candidate not in known
    ]


def to_entry(
    candidate: TermCandidate, options: EntryOptions, languages: tuple[str | None, str | None]
) -> Entry:
    translations = [candidate.best, *(one for one in candidate.conflicting if one.share >= options.min_share)]
    targets = [one.target for one in translations]
    forms = [form for one in translations for form in _frequent_forms(one, options.min_form_share)]
    bases = filter(None, (_unseen_base(one, languages[1]) for one in translations))
    return Entry(
        source=candidate.source,
        targets=() if candidate.policy == "keep" else tuple(dict.fromkeys((*targets, *forms, *bases))),
        policy=candidate.policy,
        note=f"{candidate.count} times, confidence {candidate.confidence:.2f}",
        source_language=languages[0],
        target_language=languages[1],
    )


def _frequent_forms(translation: TermTranslation, min_share: float) -> Iterator[str]:
    """Forms as the memory inflects them, which rules know less well; a title's capitals are no form."""
    spellings = {fold(translation.target)}
    for form, count in translation.forms.items():
        if count >= max(_MIN_FORM_COUNT, min_share * translation.count) and fold(form) not in spellings:
            spellings.add(fold(form))
            yield form


def _unseen_base(translation: TermTranslation, language: str | None) -> str | None:
    """The dictionary form of a translation that is so rare that the memory may have others alone."""
    if translation.count >= _MANY_FORMS:
        return None
    base = base_form(translation.target, language, _lemmas(language))
    return None if base is None or fold(base) in map(fold, translation.forms) else base


def _lemmas(language: str | None) -> Lemmas | None:
    try:
        return find_lemmas(language) if language else None
    except LexalignError:
        return None
