"""Tags that stand alone between spaces take one of the spaces with them.

    Die Datei %s fehlt.      text  Die Datei fehlt.    %s has a space on either side
    Hallo %s!                text  Hallo!              the same, but none before a mark

So a translator sees the text as it would be written without the tag, and wherever the tag goes in the
translation, it is not glued to a word that it did not touch.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from lexalign.markup.tagged_text import FOLLOWS_AT_ONCE, Tag, TaggedText

_SPACES = frozenset(" \u00a0\u202f")


def absorb_spaces(tagged: TaggedText) -> TaggedText:
    text, tags = tagged.text, list(tagged.tags)
    removed: set[int] = set()
    for first, last in sorted(_clusters(tagged), key=lambda cluster: tags[cluster[0]].start):
        here = tags[first].start
        left = here - 1
        while left in removed:
            left -= 1
        before, after = text[left] if left >= 0 else "", text[here : here + 1]
        if before.strip() or (after.strip() and after not in FOLLOWS_AT_ONCE):
            continue
        if after in _SPACES or before in _SPACES:
            removed.add(here if after in _SPACES else left)
            tags[first] = replace(tags[first], space_before=True)
            tags[last] = replace(tags[last], space_after=True)
    return _without(text, tags, sorted(removed)) if removed else tagged


def _clusters(tagged: TaggedText) -> Iterator[tuple[int, int]]:
    """The first and the last of tags without text that directly follow each other."""
    for parent, family in tagged.families.items():
        if parent is not None and tagged.tags[parent].start == tagged.tags[parent].end:
            continue  # a pair without text is itself what stands between spaces
        points = [index for index in family if tagged.tags[index].start == tagged.tags[index].end]
        places: dict[int, list[int]] = {}
        for index in points:
            if tagged.tags[index].kind not in ("opening", "closing"):
                places.setdefault(tagged.tags[index].start, []).append(index)
        for cluster in places.values():
            yield cluster[0], cluster[-1]


def _without(text: str, tags: list[Tag], removed: list[int]) -> TaggedText:
    moved = (
        replace(
            tag,
            start=tag.start - bisect_left(removed, tag.start),
            end=tag.end - bisect_left(removed, tag.end),
        )
        for tag in tags
    )
    gone = set(removed)
    kept = "".join(character for place, character in enumerate(text) if place not in gone)
    return TaggedText(kept, tuple(moved))
