"""Terms of a glossary: what became of each in the translation, by alignment and lemma.

    source   Post the order and close the order.    order = Auftrag
    target   Buchen Sie den Auftrag und schließen Sie die Bestellung.
             as-asked: the first, aligned to "Auftrag"; other-word: the second, aligned to "Bestellung"

Each place of the target that has a translation serves one place of the source, the best and nearest by the
links first. A place of the source that is left over is told by what it is linked to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexalign.contracts.alignment import Span
from lexalign.glossary.matching.matcher import Match, Matcher
from lexalign.metrics.words import is_punctuation
from lexalign.report.kinds import CheckKind
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding
from lexalign.terminology.checking.target_terms import LIKENESS, Occurrence, TargetTerms

_KIND_OF: dict[str, CheckKind] = {"exact": "as-asked", "form": "other-form", "compound": "compound"}


@dataclass(frozen=True)
class _Place:
    """A term in the source, the places of its targets, and the target words that it is linked to."""

    match: Match
    occurrences: list[Occurrence]
    linked: dict[int, float]

    def overlap(self, occurrence: Occurrence) -> float:
        return sum(self.linked.get(index, 0.0) for index in occurrence.words)


class TermRule:
    def __init__(self, matcher: Matcher, target_terms: TargetTerms, function_words: frozenset[str]) -> None:
        self._matcher, self._terms, self._function_words = matcher, target_terms, function_words

    def check(self, aligned: AlignedUnit) -> Iterator[Finding]:
        return (finding for _, finding in self.verdicts(aligned))

    def verdicts(self, aligned: AlignedUnit) -> Iterator[tuple[Match, Finding]]:
        """What became of each term; of one that is to be avoided, only where it is used."""
        if not aligned.unit.target.strip():
            return
        places = [self._place(aligned, match) for match in self._matcher.match(aligned.unit.source)]
        asked = [place for place in places if place.match.constraint.kind != "avoid"]
        chosen = _assign(asked)
        for index, place in enumerate(asked):
            finding = self._verdict(aligned, place, chosen.get(index), list(chosen.values()))
            yield place.match, finding
        for place in places:
            if place.match.constraint.kind == "avoid":
                yield from ((place.match, finding) for finding in self._forbidden(aligned, place))

    def _place(self, aligned: AlignedUnit, match: Match) -> _Place:
        start, end = match.span
        inside = {i for i, word in enumerate(aligned.source) if word.start < end and start < word.end}
        linked: dict[int, float] = {}
        for link in aligned.links:
            if link.source in inside:
                probability = 1.0 if link.probability is None else link.probability
                linked[link.target] = max(probability, linked.get(link.target, 0.0))
        kept = match.entry.policy == "keep"
        targets = (match.text,) if kept else [t for entry in match.entries for t in entry.targets]
        as_typed = kept or match.entry.case == "as-typed"
        found = self._terms.occurrences(targets, match.constraint.targets, aligned.target, as_typed=as_typed)
        return _Place(match, found, linked)

    def _verdict(
        self, aligned: AlignedUnit, place: _Place, chosen: Occurrence | None, used: Sequence[Occurrence]
    ) -> Finding:
        if chosen is None:
            # Two mentions may well have one translation.
            chosen = next(
                (
                    one
                    for one in used
                    if place.linked
                    and one in place.occurrences
                    and all(index in one.words for index in place.linked)
                ),
                None,
            )
        if chosen is not None:
            return self._met(aligned, place, chosen)
        if place.match.entry.policy == "keep":
            return self._unmet(aligned, place, "not-kept")
        return self._unmet(aligned, place, "other-word" if self._content(aligned, place) else "missing-term")

    def _met(self, aligned: AlignedUnit, place: _Place, chosen: Occurrence) -> Finding:
        kind = _KIND_OF[chosen.likeness]
        if place.match.entry.policy == "keep" and kind == "other-form":
            kind = "not-kept"
        span = aligned.target[chosen.start].start, aligned.target[chosen.end - 1].end
        found = aligned.unit.target[slice(*span)]
        expected = _expected(place.match)
        said = {"as-asked": "is", "compound": "is a part of", "other-form": "is in another form:"}
        return Finding(
            kind=kind,
            message=f'"{place.match.text}" {said.get(kind, "has become")} "{found}"',
            unit=aligned.unit,
            source_span=place.match.span,
            target_span=span,
            expected=expected,
            found=found,
            preferred_only=place.match.entry.policy == "prefer",
        )

    def _unmet(self, aligned: AlignedUnit, place: _Place, kind: CheckKind) -> Finding:
        words = self._content(aligned, place)
        span: Span | None = None
        found = " … ".join(aligned.target[index].text for index in words)
        if words:
            span = aligned.target[words[0]].start, aligned.target[words[-1]].end
            if words[-1] - words[0] < 6:
                found = aligned.unit.target[slice(*span)]
        expected = _expected(place.match)
        asked = '" or "'.join(expected)
        says = f'is "{found}", not "{asked}"' if found else f'has no translation; asked for is "{asked}"'
        best = max(place.linked.values(), default=0.0)
        return Finding(
            kind=kind,
            message=f'"{place.match.text}" {says}',
            unit=aligned.unit,
            source_span=place.match.span,
            target_span=span,
            expected=expected,
            found=found,
            confidence=best if words else (0.5 if aligned.links else 0.3),
            preferred_only=place.match.entry.policy == "prefer",
        )

    def _forbidden(self, aligned: AlignedUnit, place: _Place) -> Iterator[Finding]:
        for one in place.occurrences:
            if one.likeness == "compound" or (place.linked and not place.overlap(one)):
                continue  # it translates something else
            span = aligned.target[one.start].start, aligned.target[one.end - 1].end
            found = aligned.unit.target[slice(*span)]
            yield Finding(
                kind="forbidden-term",
                message=f'"{found}" is forbidden for "{place.match.text}"',
                unit=aligned.unit,
                source_span=place.match.span,
                target_span=span,
                found=found,
                confidence=min(1.0, place.overlap(one)) if place.linked else 0.5,
            )

    def _content(self, aligned: AlignedUnit, place: _Place) -> list[int]:
        """The linked words that say something."""
        return [
            index
            for index in sorted(place.linked)
            if not is_punctuation(aligned.target[index].text)
            and aligned.target[index].key not in self._function_words
        ]


def _assign(places: Sequence[_Place]) -> dict[int, Occurrence]:
    """An occurrence for each place, each used once: the best likeness first, then the surest links."""
    offers = sorted(
        (
            (LIKENESS.index(one.likeness), -place.overlap(one), index, one.start, one)
            for index, place in enumerate(places)
            for one in place.occurrences
        ),
        key=lambda offer: offer[:4],
    )
    chosen: dict[int, Occurrence] = {}
    taken: set[int] = set()
    for _, _, index, _, one in offers:
        if index not in chosen and (one.likeness == "compound" or not taken.intersection(one.words)):
            chosen[index] = one
            taken.update(one.words)
    return chosen


def _expected(match: Match) -> tuple[str, ...]:
    if match.entry.policy == "keep":
        return (match.text,)
    return tuple(dict.fromkeys(target for entry in match.entries for target in entry.targets))
