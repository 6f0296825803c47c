"""Candidate terms with their translations, as plain values, and the score by which they are listed.

The confidence of a term is that of its most frequent translation: its share of all translations that were
found, times the mean probability of its links, times how often the term is translated as one phrase at all.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lexalign.glossary.entries import TermPolicy
from lexalign.terminology.extraction.counting import INITIAL
from lexalign.terminology.extraction.ranking import RankedTerm, listed_form
from lexalign.terminology.extraction.translations import ExamplePlace, TargetEvidence, TermEvidence
from lexalign.text.languages import primary

Example = tuple[str, str, str]  # place, source text, target text
ReadExample = Callable[[ExamplePlace], Example]
_CONFLICT_SHARE, _CONFLICT_COUNT = 0.15, 2  # from which on a second translation is a conflict
_KEPT_SHARE, _KEPT_COUNT = 0.9, 3  # of a name that is always copied
_MIN_KEPT_CAPITALS = 0.8
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
    nominal: float = 1.0  # share of translations with a noun, where capitals tell

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
    term: RankedTerm, evidence: TermEvidence, target_language: str | None, read_example: ReadExample
) -> TermCandidate | None:
    """A term with what it is translated by; None where nothing was found."""
    if not evidence.targets:
        return None
    ordered = sorted(evidence.targets.items(), key=lambda item: (-item[1].count, item[0]))[:_MAX_TARGETS]
    total = evidence.translated
    translations = tuple(_translation(key, target, total, read_example) for key, target in ordered)
    confidence = _confidence(translations[0], evidence)
    nominal = _nominal_share(evidence.targets.values()) if _has_noun_capitals(target_language) else 1.0
    forms = _plain_forms(term.count.forms)
    # "Windows" is no form of "window": what is mostly copied is listed as it is copied.
    copied = 2 * forms.get(translations[0].target, 0) > sum(forms.values())
    source = translations[0].target if copied else term.form
    return TermCandidate(
        source=source,
        lemma=term.key,
        forms=forms,
        count=evidence.count,
        translations=translations,
        confidence=confidence,
        score=term.score * (0.5 + 0.5 * confidence) * (0.2 + 0.8 * nominal),
        policy="keep" if _is_kept(source, term, evidence, translations[0]) else "must",
        weirdness=term.weirdness,
        nominal=nominal,
    )


def _translation(key: str, target: TargetEvidence, total: int, read: ReadExample) -> TermTranslation:
    return TermTranslation(
        target=listed_form(key, target.forms),
        lemma=key,
        forms=_plain_forms(target.forms),
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


def _looks_like_name(form: str) -> bool:
    return any(letter.isupper() or letter.isdigit() for letter in form)


def _has_noun_capitals(language: str | None) -> bool:
    return language is not None and primary(language) in ("de", "lb")


def _nominal_share(targets: Iterable[TargetEvidence]) -> float:
    """The share of translations inside of texts with a capital, which in German nouns have, and verbs not."""
    inside = capital = 0
    for target in targets:
        for form, count in target.forms.items():
            if not form.startswith(INITIAL):
                inside += count
                capital += count * any(word[:1].isupper() for word in form.split())
    return (capital + 1) / (inside + 1)


def _plain_forms(forms: dict[str, int]) -> dict[str, int]:
    """The forms with their counts, most frequent first, wherever they stand."""
    plain: dict[str, int] = {}
    for form, count in forms.items():
        bare = form.removeprefix(INITIAL)
        plain[bare] = plain.get(bare, 0) + count
    return dict(sorted(plain.items(), key=lambda item: (-item[1], item[0])))
