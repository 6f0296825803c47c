"""What is not to be translated, and where it stands in a translation."""

from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.alignment import Span

Kind = Literal[
    "placeholder",  # {name}, %s, #URL1#, ${x}, an ICU argument
    "url",
    "email",
    "path",  # of a file, or its name
    "version",
    "code",  # `inline code`, snake_case, call(), --flag
    "mention",  # @name
    "hashtag",
    "symbol",  # emoji and their like
    "tag",  # <b>, &nbsp;, the link of [text](address)
    "custom",  # what a pattern of the user has found
]
# A tag that encloses text is a pair of an opening and a closing one.
Role = Literal["alone", "opening", "closing"]
# Of a span in a translation: the model has copied its stand-in; word alignment has told its place; nothing
# but its place in the source has.
Placement = Literal["copied", "aligned", "position"]

# What stands beside a sentence rather than in it. The others are words of their sentence.
_LIFTED: frozenset[Kind] = frozenset({"symbol", "tag"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Untranslatable:
    """A stretch of a source; `name` tells which opening and closing tags belong together."""

    start: int
    end: int
    kind: Kind
    role: Role = "alone"
    name: str = ""

    @property
    def span(self) -> Span:
        return self.start, self.end

    @property
    def lifted(self) -> bool:
        """Whether it is taken out of the text, where the others get a word to stand in for them."""
        return self.kind in _LIFTED


@dataclass(frozen=True, kw_only=True)
class ProtectedSpan:
    """An untranslatable of a source, and where it stands in the translation."""

    text: str
    kind: Kind
    source: Span
    target: Span
    placement: Placement
