"""Units of bilingual material: a segment and its translation, with where they stand."""

from dataclasses import dataclass

from lexalign.glossary.entries import Place


@dataclass(frozen=True, slots=True)
class Unit:
    """A segment and its translation, without markup; `tags` are the names of each side's inline tags."""

    source: str
    target: str
    place: Place
    identifier: str = ""  # of the unit in its file
    source_tags: tuple[str, ...] = ()
    target_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line or unit that cannot be read as a segment and its translation."""

    reason: str
    place: Place


Read = Unit | Rejected
