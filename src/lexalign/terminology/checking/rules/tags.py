"""Inline tags, which both sides must have as often; where they stand is for the eye to judge."""

from collections import Counter
from collections.abc import Iterator

from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding


class TagRule:
    def check(self, aligned: AlignedUnit) -> Iterator[Finding]:
        unit = aligned.unit
        source, target = Counter(unit.source_tags), Counter(unit.target_tags)
        if source == target or not unit.target.strip():
            return
        missing, added = list((source - target).elements()), list((target - source).elements())
        parts = [f"{', '.join(missing)} missing"] if missing else []
        parts += [f"{', '.join(added)} not in the source"] if added else []
        yield Finding(
            kind="tag",
            message=f"tags: {'; '.join(parts)}",
            unit=unit,
            expected=tuple(missing),
            found=", ".join(added),
        )
