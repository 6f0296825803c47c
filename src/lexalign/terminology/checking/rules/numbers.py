"""Numbers and currency signs that only one side has, whatever separators a language uses."""

from collections.abc import Iterator

from lexalign.markup.protection import find_untranslatables, missing_numbers
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding


class NumberRule:
    def check(self, aligned: AlignedUnit) -> Iterator[Finding]:
        unit = aligned.unit
        if not unit.target.strip():
            return
        missing = missing_numbers(unit.source, unit.target, _protected(unit.source))
        added = missing_numbers(unit.target, unit.source, _protected(unit.target))
        for index, span in enumerate(missing):
            number = unit.source[slice(*span)]
            instead = added[index] if index < len(added) else None
            found = "" if instead is None else unit.target[slice(*instead)]
            yield Finding(
                kind="number",
                message=f"{number} has become {found}" if found else f"{number} is missing",
                unit=unit,
                source_span=span,
                target_span=instead,
                expected=(number,),
                found=found,
            )
        for span in added[len(missing) :]:
            found = unit.target[slice(*span)]
            yield Finding(
                kind="number",
                message=f"{found} is not in the source",
                unit=unit,
                target_span=span,
                found=found,
            )


def _protected(text: str) -> list[tuple[int, int]]:
    return [one.span for one in find_untranslatables(text)]
