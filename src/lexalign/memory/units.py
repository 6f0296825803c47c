"""A unit of a translation memory."""

from dataclasses import dataclass

from lexalign.markup import TaggedText


@dataclass(frozen=True, slots=True)
class MemoryUnit:
    """A text and its translation; the `opening` of a tag tells which tags of both sides belong together."""

    source: TaggedText
    target: TaggedText
    place: str  # the file, and where in it


def normalized(text: str) -> str:
    """The text by which units are found: white space makes no difference."""
    return " ".join(text.split())
