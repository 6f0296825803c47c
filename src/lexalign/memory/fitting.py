"""An exact match, taken as it is: the unit's target with the tags of the segment.

segment  Click <b>Save</b>.          unit  Click <1>Save</1>.  →  Klicken Sie auf <1>Speichern</1>.
taken    Klicken Sie auf <b>Speichern</b>.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from lexalign.markup import Tag, TaggedText
from lexalign.memory.units import MemoryUnit


def fit_unit(segment: TaggedText, unit: MemoryUnit) -> TaggedText | None:
    """The translation, or None where the unit's tags are others than the segment's.

    A unit without any tags fits no segment with tags; its text can be taken, and tags set by alignment.
    """
    if list(_places(segment)) != list(_places(unit.source)):
        return None
    order = _target_tags(unit)
    if order is None:
        return None
    tags = [
        replace(own, start=place.start, end=place.end) for own, place in zip(segment.tags, order, strict=True)
    ]
    try:
        return TaggedText(unit.target.text, tuple(tags))
    except ValueError:  # its nesting is another
        return None


def _places(tagged: TaggedText) -> Iterator[tuple[str, str, str, int | None]]:
    """Each tag by what stands before and in it; white space makes no difference."""
    for tag in tagged.tags:
        before, inside = tagged.text[: tag.start], tagged.text[tag.start : tag.end]
        yield tag.kind, "".join(before.split()), "".join(inside.split()), tag.parent


def _target_tags(unit: MemoryUnit) -> list[Tag] | None:
    """The tags of the target in the order of the source's, or None where they are others."""
    waiting: dict[tuple[str, str], list[Tag]] = defaultdict(list)
    for tag in reversed(unit.target.tags):
        waiting[tag.opening, tag.kind].append(tag)
    found = []
    for tag in unit.source.tags:
        if not waiting[tag.opening, tag.kind]:
            return None
        found.append(waiting[tag.opening, tag.kind].pop())
    return None if any(waiting.values()) else found
