"""Candidate terms with their translations, as plain values, and the score by which they are listed.

The confidence of a term is that of its most frequent translation: its share of all translations that were
found, times the mean probability of its links, times how often the term is translated as one phrase at all.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

from lexalign.glossary.entries import TermPolicy
from lexalign.terminology.extraction.closed_classes import closed_classes
from lexalign.terminology.extraction.counting import INITIAL, TermCount
from lexalign.terminology.extraction.noun_phrases import (
    dictionary_form,
    has_noun,
    has_noun_capitals,
    is_noun_phrase,
)
from lexalign.terminology.extraction.ranking import RankedTerm, listed_form
from lexalign.terminology.extraction.translations import ExamplePlace, TargetEvidence, TermEvidence

Example = tuple[str, str, str]  # place, source text, target text
ReadExample = Callable[[ExamplePlace], Example]
_CONFLICT_SHARE, _CONFLICT_COUNT = 0.15, 2  # from which on a second translation is a conflict
_KEPT_SHARE, _KEPT_COUNT = 0.9, 3  # of a name that is always copied
_MIN_KEPT_CAPITALS = 0.8
_MIN_NAME_CAPITALS = 0.5  # share of capitals inside of texts
_MAX_TARGETS = 8


@dataclass(frozen=True, kw_only=True)
class TermTranslation:
    target: str
    lemma: str  # its key
    forms: dict[str, int]
    count: int
    share: float
    probability: float
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TermCandidate:
    """A term of a memory; `policy` is keep for a name that is always copied."""

    source: str
    lemma: str  # its key
    forms: dict[str, int]
    count: int
    translations: tuple[TermTranslation, ...]
    confidence: float
    score: float
    policy: TermPolicy = "must"
    weirdness: float = 0.0  # 1: ten times as frequent as in general text
    nominal: float = 1.0  # share of noun phrases on the side with fewer, where capitals tell

    @property
    def best(self) -> TermTranslation:
        return self.translations[0]

    @property
    def rank(self) -> tuple[float, str]:
        """The order in which candidates are listed."""
        return -self.score, self.lemma

    @property
    def conflicting(self) -> tuple[TermTranslation, ...]:
        """Further translations that are frequent enough to be no accident."""
        return tuple(
            one
            for one in self.translations[1:]
            if one.count >= _CONFLICT_COUNT and one.share >= _CONFLICT_SHARE
        )

    def to_json(self) -> str:
        return json.dumps(self, default=vars, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "TermCandidate":
        content = json.loads(line)
        translations = [
            TermTranslation(**{**one, "examples": tuple(map(tuple, one["examples"]))})
            for one in content["translations"]
        ]
        return cls(**{**content, "translations": tuple(translations)})


def make_candidate(
    term: RankedTerm,
    evidence: TermEvidence,
    languages: tuple[str | None, str | None],
    read_example: ReadExample,
) -> TermCandidate | None:
    """A term with what it is translated by; None where nothing was found."""
    if not evidence.targets:
        return None
    ordered = sorted(evidence.targets.items(), key=lambda item: (-item[1].count, item[0]))[:_MAX_TARGETS]
    total = evidence.translated
    german = tuple(map(has_noun_capitals, languages))
    forms = _plain_forms(term.count.forms)
    words = frozenset(word for form in forms for word in form.split()) if german[1] else None
    translations = tuple(_translation(key, target, total, words, read_example) for key, target in ordered)
    confidence = _confidence(translations[0], evidence)
    nominal = _nominal_share(term.count, evidence, german)
    # "Windows" is no form of "window": what is mostly copied is listed as it is copied.
    copied = 2 * forms.get(translations[0].target, 0) > sum(forms.values())
    source = translations[0].target if copied else term.form
    source = dictionary_form(source, forms) if german[0] else source
    is_kept = not _begins_sentences(source, languages[0]) and _is_kept(
        source, term, evidence, translations[0]
    )
    return TermCandidate(
        source=source,
        lemma=term.key,
        forms=forms,
        count=evidence.count,
        translations=translations,
        confidence=confidence,
        score=term.score * (0.5 + 0.5 * confidence) * (0.2 + 0.8 * nominal),
        policy="keep" if is_kept else "must",
        weirdness=term.weirdness,
        nominal=nominal,
    )


def _translation(
    key: str, target: TargetEvidence, total: int, source_words: frozenset[str] | None, read: ReadExample
) -> TermTranslation:
    """`source_words` are those of the term, if the target is German."""
    forms, listed = _plain_forms(target.forms), listed_form(key, target.forms)
    return TermTranslation(
        target=listed if source_words is None else dictionary_form(listed, forms, source_words),
        lemma=key,
        forms=forms,
        count=target.count,
        share=target.count / total,
        probability=target.probability / target.count,
        examples=tuple(map(read, target.examples)),
    )


def _confidence(best: TermTranslation, evidence: TermEvidence) -> float:
    share = best.count / (evidence.translated + 1)  # one that is not seen counts too
    return share * best.probability * min(1.0, 0.5 + evidence.translated / evidence.count)


def _is_kept(source: str, term: RankedTerm, evidence: TermEvidence, best: TermTranslation) -> bool:
    """Whether it is a name, product or code: always copied, and with a capital or a digit wherever it is."""
    if evidence.count < _KEPT_COUNT or evidence.copied < _KEPT_SHARE * evidence.count:
        return False
    inside = {form: count for form, count in term.count.forms.items() if not form.startswith(INITIAL)}
    named = sum(count for form, count in inside.items() if _looks_like_name(form))
    return best.target == source and named > 0 and named >= _MIN_KEPT_CAPITALS * sum(inside.values())


def _begins_sentences(source: str, language: str | None) -> bool:
    """Whether it is a word such as "Each", which is a name in code, and begins sentences everywhere."""
    closed = closed_classes(language)
    return closed is not None and source.lower() in closed.words and source[1:].islower()


def _looks_like_name(form: str) -> bool:
    return any(letter.isupper() or letter.isdigit() for letter in form)


def _nominal_share(term: TermCount, evidence: TermEvidence, german: tuple[bool, ...]) -> float:
    """The share of noun phrases, on the side that has fewer, where capitals tell.

    Names of buttons are mostly verbs in German: with capitals in the source, a noun is enough.
    """
    named = not german[0] and term.capital_share >= _MIN_NAME_CAPITALS
    share = _share_of_nouns(term.forms.items()) if german[0] else 1.0
    if german[1]:
        forms = chain.from_iterable(target.forms.items() for target in evidence.targets.values())
        share = min(share, _share_of_nouns(forms, named=named))
    return share


def _share_of_nouns(forms: Iterable[tuple[str, int]], *, named: bool = False) -> float:
    """Single words that begin a text say nothing; more words do, by those behind the first."""
    total = nouns = 0
    for form, count in forms:
        bare, initial = form.removeprefix(INITIAL), form.startswith(INITIAL)
        if not initial or " " in bare:
            total += count
            is_name = named and not initial and has_noun(bare)
            nouns += count * (is_name or is_noun_phrase(bare, initial=initial))
    return (nouns + 1) / (total + 1)


def _plain_forms(forms: dict[str, int]) -> dict[str, int]:
    """The forms with their counts, most frequent first, wherever they stand."""
    plain: dict[str, int] = {}
    for form, count in forms.items():
        bare = form.removeprefix(INITIAL)
        plain[bare] = plain.get(bare, 0) + count
    return dict(sorted(plain.items(), key=lambda item: (-item[1], item[0])))
