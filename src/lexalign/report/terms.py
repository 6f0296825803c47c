"""Terms over all segments: how often each was found and met, in which forms, and where it was missed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lexalign.report.values import FileReport, TermReport


@dataclass(frozen=True, kw_only=True)
class TermSummary:
    term: str
    targets: tuple[str, ...]
    kind: str
    found: int
    met: int
    forms: tuple[tuple[str, int], ...]  # the most frequent first
    missed: tuple[tuple[str, int, str], ...]  # file, segment and reason
    ambiguous: bool = False

    @property
    def failed(self) -> bool:
        return self.met < self.found and self.kind != "prefer"


Place = tuple[str, int]  # file and segment


def summarize_terms(files: Iterable[FileReport]) -> list[TermSummary]:
    """Missed terms come first, then the most frequent."""
    groups: dict[tuple[str, tuple[str, ...], str], list[tuple[Place, TermReport]]] = {}
    for file in files:
        for segment in file.segments:
            for term in segment.terms:
                key = term.term, term.targets, term.kind
                groups.setdefault(key, []).append(((file.name, segment.number), term))
    found = [_summary(found) for found in groups.values()]
    return sorted(found, key=lambda one: (one.met - one.found, -one.found, one.term))


def _summary(found: Sequence[tuple[Place, TermReport]]) -> TermSummary:
    first = found[0][1]
    forms = Counter(term.form for _, term in found if term.form)
    return TermSummary(
        term=first.term,
        targets=first.targets,
        kind=first.kind,
        found=len(found),
        met=sum(term.met for _, term in found),
        forms=tuple(forms.most_common()),
        missed=tuple((*place, term.reason or "") for place, term in found if not term.met),
        ambiguous=any(term.ambiguous for _, term in found),
    )
