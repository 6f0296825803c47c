"""Placeholders, addresses, paths and code, which both sides must have as often.

A placeholder that only the target has is told too: a program has nothing to put there. Other additions are
not: people write paths and code for readers of another language.
"""

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
        added = [one for one in _found(unit.target) if one.kind == "placeholder"]
        for one in missing_untranslatables(added, unit.target, unit.source):
            text = unit.target[slice(*one.span)]
            yield Finding(
                kind="placeholder",
                message=f"the {one.kind} {text} is not in the source",
                unit=unit,
                target_span=one.span,
                found=text,
            )


def _found(text: str) -> list[Untranslatable]:
    return [one for one in find_untranslatables(text) if one.kind in _KINDS]
