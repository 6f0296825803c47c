"""Tags set by their relative position alone: what can be done without an alignment, and a baseline.

A tag a third into the source comes a third into the translation, or where the nearest word begins or ends.
"""

from bisect import bisect_left
from dataclasses import replace

from lexalign.markup.tagged_text import TaggedText
from lexalign.markup.units import units_of


def transfer_by_position(source: TaggedText, target: str) -> TaggedText:
    edges = sorted({0, len(target), *(edge for unit in units_of(target) for edge in unit)})
    scale = len(target) / max(1, len(source.text))

    def moved(position: int) -> int:
        # Never decreasing, so tags that were nested stay nested.
        wanted = position * scale
        place = min(bisect_left(edges, wanted), len(edges) - 1)
        nearer = place > 0 and wanted - edges[place - 1] < edges[place] - wanted
        return edges[place - 1] if nearer else edges[place]

    tags = (replace(tag, start=moved(tag.start), end=moved(tag.end)) for tag in source.tags)
    return TaggedText(target, tuple(tags))
