"""Placeholders, addresses, paths and code, which both sides must have as often."""

from collections.abc import Iterator

from lexalign.markup.protection import Untranslatable, find_untranslatables, missing_untranslatables
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding

_KINDS = frozenset({"placeholder", "url", "email", "path", "code", "tag"})


class PlaceholderRule:
    def check(self, aligned: AlignedUnit) -> Iterator[Finding]:
        unit = aligned.unit
        if not unit.target.strip():
            return
        for one in missing_untranslatables(_found(unit.source), unit.source, unit.target):
            text = unit.source[slice(*one.span)]
            yield Finding(
                kind="placeholder",
                message=f"the {one.kind} {text} is missing",
                unit=unit,
                source_span=one.span,
                expected=(text,),
            )


def _found(text: str) -> list[Untranslatable]:
    return [one for one in find_untranslatables(text) if one.kind in _KINDS]
