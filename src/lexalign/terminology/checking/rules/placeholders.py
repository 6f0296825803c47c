"""Placeholders, addresses, paths and code, which both sides must have as often."""

from collections import Counter
from collections.abc import Iterator

from lexalign.markup.protection import Untranslatable, find_untranslatables
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding

_KINDS = frozenset({"placeholder", "url", "email", "path", "code", "tag"})


class PlaceholderRule:
    def check(self, aligned: AlignedUnit) -> Iterator[Finding]:
        unit = aligned.unit
        if not unit.target.strip():
            return
        available = Counter(unit.target[slice(*one.span)] for one in _found(unit.target))
        for one in _found(unit.source):
            text = unit.source[slice(*one.span)]
            available[text] -= 1
            if available[text] < 0 and text not in unit.target:
                yield Finding(
                    kind="placeholder",
                    message=f"the {one.kind} {text} is missing",
                    unit=unit,
                    source_span=one.span,
                    expected=(text,),
                )


def _found(text: str) -> list[Untranslatable]:
    return [one for one in find_untranslatables(text) if one.kind in _KINDS]
