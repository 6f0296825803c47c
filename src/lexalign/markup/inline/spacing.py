"""A tag between two spaces takes one of them with it.

    Die Datei %s fehlt.      text  Die Datei fehlt.    %s has a space on either side
    Hallo %s!                text  Hallo!              the same, but none before a mark

So the text is translated as if the tag were not there, and wherever the tag is set in the translation, it is
not attached to a word that it did not touch.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lexalign.markup.tagged_text import CLOSING_PUNCTUATION, Tag, TaggedText

_SPACES = frozenset(" \u00a0\u202f")


def absorb_spaces(tagged: TaggedText) -> TaggedText:
    text, tags = tagged.text, list(tagged.tags)
    removed: dict[int, int] = {}  # each with a place before it that may be kept
    for cluster in sorted(_clusters(tagged), key=lambda cluster: cluster.position):
        here, left = cluster.position, cluster.position - 1
        left = _kept_before(left, removed)
        before, after = text[left] if left >= 0 else "", text[here : here + 1]
        if before.strip() or (after.strip() and after not in CLOSING_PUNCTUATION):
            continue
        if before in _SPACES and not cluster.after_pair:
            removed[left] = left - 1
        elif after in _SPACES and not cluster.before_pair:
            removed[here] = here - 1
        else:
            continue
        tags[cluster.first] = replace(tags[cluster.first], space_before=True)
        tags[cluster.last] = replace(tags[cluster.last], space_after=True)
    return _without(text, tags, sorted(removed)) if removed else tagged


def _kept_before(position: int, removed: dict[int, int]) -> int:
    """The last place up to this one that is kept; the way there is remembered, so that none is gone twice."""
    passed: list[int] = []
    while position in removed:
        passed.append(position)
        position = removed[position]
    for one in passed:
        removed[one] = position
    return position


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Consecutive tags without text, and whether a pair directly follows or precedes them."""

    position: int
    first: int
    last: int
    before_pair: bool
    after_pair: bool


def _clusters(tagged: TaggedText) -> Iterator[_Cluster]:
    for parent, siblings in tagged.children_of.items():
        if parent is not None and tagged.tags[parent].start == tagged.tags[parent].end:
            continue  # a pair without text is itself between spaces
        pairs = [
            tagged.tags[index] for index in siblings if tagged.tags[index].start < tagged.tags[index].end
        ]
        starts, ends = {tag.start for tag in pairs}, {tag.end for tag in pairs}
        by_position: dict[int, list[int]] = {}
        for index in siblings:
            tag = tagged.tags[index]
            if tag.start == tag.end and tag.kind in ("pair", "empty"):
                by_position.setdefault(tag.start, []).append(index)
        for position, members in by_position.items():
            yield _Cluster(position, members[0], members[-1], position in starts, position in ends)


def _without(text: str, tags: list[Tag], removed: list[int]) -> TaggedText:
    moved = (
        replace(
            tag,
            start=tag.start - bisect_left(removed, tag.start),
            end=tag.end - bisect_left(removed, tag.end),
        )
        for tag in tags
    )
    dropped = set(removed)
    kept = "".join(character for index, character in enumerate(text) if index not in dropped)
    return TaggedText(kept, tuple(moved))
