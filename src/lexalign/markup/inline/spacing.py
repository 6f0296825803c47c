"""Tags that stand alone between spaces take one of the spaces with them.

    Die Datei %s fehlt.      text  Die Datei fehlt.    %s has a space on either side
    Hallo %s!                text  Hallo!              the same, but none before a mark

So a translator sees the text as it would be written without the tag, and wherever the tag goes in the
translation, it is not glued to a word that it did not touch.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lexalign.markup.tagged_text import FOLLOWS_AT_ONCE, Tag, TaggedText

_SPACES = frozenset(" \u00a0\u202f")


def absorb_spaces(tagged: TaggedText) -> TaggedText:
    text, tags = tagged.text, list(tagged.tags)
    removed: set[int] = set()
    for cluster in sorted(_clusters(tagged), key=lambda cluster: cluster.position):
        here, left = cluster.position, cluster.position - 1
        while left in removed:
            left -= 1
        before, after = text[left] if left >= 0 else "", text[here : here + 1]
        if before.strip() or (after.strip() and after not in FOLLOWS_AT_ONCE):
            continue
        if before in _SPACES and not cluster.after_pair:
            removed.add(left)
        elif after in _SPACES and not cluster.before_pair:
            removed.add(here)
        else:
            continue
        tags[cluster.first] = replace(tags[cluster.first], space_before=True)
        tags[cluster.last] = replace(tags[cluster.last], space_after=True)
    return _without(text, tags, sorted(removed)) if removed else tagged


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Tags without text that directly follow each other, and whether a pair follows them, or they a pair."""

    position: int
    first: int
    last: int
    before_pair: bool
    after_pair: bool


def _clusters(tagged: TaggedText) -> Iterator[_Cluster]:
    for parent, family in tagged.families.items():
        if parent is not None and tagged.tags[parent].start == tagged.tags[parent].end:
            continue  # a pair without text is itself what stands between spaces
        pairs = [tagged.tags[index] for index in family if tagged.tags[index].start < tagged.tags[index].end]
        starts, ends = {tag.start for tag in pairs}, {tag.end for tag in pairs}
        places: dict[int, list[int]] = {}
        for index in family:
            tag = tagged.tags[index]
            if tag.start == tag.end and tag.kind in ("pair", "empty"):
                places.setdefault(tag.start, []).append(index)
        for place, members in places.items():
            yield _Cluster(place, members[0], members[-1], place in starts, place in ends)


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
