"""Untranslatables of a source, and their spans in a translation."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.alignment import Span

Kind = Literal[
    "placeholder",  # {name}, %s, #URL1#, ${x}, an ICU argument
    "url",
    "email",
    "path",  # of a file, or its name
    "version",
    "unit",  # of a number: µg/kg, Nm, kΩ
    "code",  # `inline code`, snake_case, call(), --flag
    "mention",  # @name
    "hashtag",
    "foreign",  # words with letters that the model does not know
    "symbol",  # emoji and other symbols
    "tag",  # <b>, &nbsp;, the link of [text](address)
    "custom",  # found by a pattern of the user
]
# A tag around text is a pair of an opening and a closing tag.
Role = Literal["alone", "opening", "closing"]
# How a span in a translation was placed: the model has copied its stand-in; by word alignment; by its
# relative position in the source.
Placement = Literal["copied", "aligned", "position"]

# Kinds that are not words of their sentence, as the others are.
_LIFTED: frozenset[Kind] = frozenset({"symbol", "tag"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Untranslatable:
    """A span of a source; `name` tells which opening and closing tags belong together."""

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
        """Whether it is removed from the text; the others are replaced by a stand-in."""
        return self.kind in _LIFTED


@dataclass(frozen=True, kw_only=True)
class ProtectedSpan:
    """An untranslatable of a source, and its span in the translation."""

    text: str
    kind: Kind
    source: Span
    target: Span
    placement: Placement


def missing_untranslatables(kept: Iterable[Untranslatable], source: str, target: str) -> list[Untranslatable]:
    """Those that the translation has less often than its source."""
    available: dict[str, int] = {}
    missing = []
    for one in kept:
        text = source[slice(*one.span)]
        available[text] = available.get(text, target.count(text)) - 1
        if available[text] < 0:
            missing.append(one)
    return missing
