"""A text as a model gets to see it: stand-ins for untranslatables, and without symbols and tags.

    Hallo {name} 🎉, siehe <b>https://example.com</b>.     as given
    Hallo X1, siehe X2.                                    as translated; 🎉 and <b> are tags of it

A capital X and a number is a word that models copy, whatever they were trained on, and treat as a name. Where
the text has such a word itself, another number is taken.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from lexalign.characters import continues_word
from lexalign.contracts.alignment import Span
from lexalign.markup.inline.builder import MAX_DEPTH, TagBuilder
from lexalign.markup.protection.spans import Untranslatable
from lexalign.markup.tagged_text import TaggedText

_ALIKE = re.compile(r"X+(\d{1,6})")


@dataclass(frozen=True, kw_only=True)
class StandIn:
    """A word of the masked text, and what it stands for."""

    word: str
    span: Span
    original: Untranslatable


@dataclass(frozen=True, kw_only=True)
class Lifted:
    """What was taken out of the text: a tag of it, or the end of one."""

    tag: int
    closes: bool
    original: Untranslatable


@dataclass(frozen=True, kw_only=True)
class MaskedText:
    """`starts` and `ends` are the offsets in the source of each character of the text."""

    source: str
    tagged: TaggedText
    stand_ins: tuple[StandIn, ...] = ()
    lifted: tuple[Lifted, ...] = ()
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()

    @property
    def text(self) -> str:
        return self.tagged.text

    @property
    def changed(self) -> bool:
        return bool(self.stand_ins or self.lifted)

    @property
    def originals(self) -> list[Untranslatable]:
        """All that is not in the text, in the order of the source."""
        stood_for = [one.original for one in self.stand_ins]
        return sorted([*stood_for, *(one.original for one in self.lifted)], key=lambda one: one.start)

    @property
    def has_words(self) -> bool:
        """Whether there is something to translate beside the stand-ins: a letter."""
        position = 0
        for one in self.stand_ins:
            if any(map(str.isalpha, self.text[position : one.span[0]])):
                return True
            position = one.span[1]
        return any(map(str.isalpha, self.text[position:]))

    def to_source(self, span: Span) -> Span:
        """The stretch of the source that a stretch of the masked text stands for."""
        if not self.changed:
            return span
        start, end = span
        if start >= end:
            place = self.starts[start] if start < len(self.starts) else len(self.source)
            return place, place
        return self.starts[start], self.ends[end - 1]

    def from_source(self, span: Span) -> Span:
        """The stretch of the masked text that comes from a stretch of the source."""
        if not self.changed:
            return span
        return bisect_right(self.ends, span[0]), bisect_right(self.starts, span[1] - 1)


def mask_text(source: str, untranslatables: Sequence[Untranslatable]) -> MaskedText:
    """The untranslatables are in the order of the text, and none overlaps another."""
    if not untranslatables:
        return MaskedText(source=source, tagged=TaggedText(source))
    writer = _Writer(source)
    for one in untranslatables:
        writer.add(one)
    return writer.finish()


class _Writer:
    def __init__(self, source: str) -> None:
        self._source, self._position = source, 0
        self._builder = TagBuilder()
        self._raw: list[str] = []  # the characters as they are written, and where they come from
        self._spans: list[Span] = []
        self._stand_ins: list[StandIn] = []
        self._lifted: list[Lifted] = []
        self._taken = {int(match[1]) for match in _ALIKE.finditer(source)}
        self._number = 0
        self._last = ""  # character that was written

    def add(self, one: Untranslatable) -> None:
        self._copy(one.start)
        self._position = one.end
        if one.lifted:
            self._lift(one)
        else:
            self._stand_in(one)

    def finish(self) -> MaskedText:
        self._copy(len(self._source))
        tagged = self._builder.build()
        kept = _kept("".join(self._raw), tagged.text)
        places = {raw: place for place, raw in enumerate(kept)}
        stand_ins = tuple(
            StandIn(
                word=one.word, span=(places[one.span[0]], places[one.span[1] - 1] + 1), original=one.original
            )
            for one in self._stand_ins
        )
        return MaskedText(
            source=self._source,
            tagged=tagged,
            stand_ins=stand_ins,
            lifted=tuple(self._lifted),
            starts=[self._spans[raw][0] for raw in kept],
            ends=[self._spans[raw][1] for raw in kept],
        )

    def _copy(self, end: int) -> None:
        self._write(self._source[self._position : end], [(at, at + 1) for at in range(self._position, end)])

    def _write(self, text: str, spans: Sequence[Span]) -> None:
        self._builder.text(text)
        self._raw.append(text)
        self._spans += spans
        self._last = text[-1:] or self._last

    def _lift(self, one: Untranslatable) -> None:
        markup, builder = self._source[slice(*one.span)], self._builder
        if one.role == "opening" and builder.depth < MAX_DEPTH:
            tag, closes = builder.open(markup, one.name), False
        elif one.role == "closing":
            before = builder.depth
            tag = builder.close(markup, one.name)
            closes = builder.depth < before
        else:
            tag, closes = builder.alone(markup), False
        self._lifted.append(Lifted(tag=tag, closes=closes, original=one))

    def _stand_in(self, one: Untranslatable) -> None:
        after = self._source[one.end : one.end + 1]
        if self._last and continues_word(self._last):
            self._write(" ", [(one.start, one.start)])
        word, start = self._next_word(), len(self._spans)
        self._write(word, [one.span] * len(word))
        self._stand_ins.append(StandIn(word=word, span=(start, start + len(word)), original=one))
        if continues_word(after):
            self._write(" ", [(one.end, one.end)])

    def _next_word(self) -> str:
        self._number += 1
        while self._number in self._taken:
            self._number += 1
        return f"X{self._number}"


def _kept(raw: str, text: str) -> list[int]:
    """Which characters are left; only spaces beside tags are gone."""
    if raw == text:
        return list(range(len(raw)))
    found, place = [], 0
    for character in text:
        while raw[place] != character:
            place += 1
        found.append(place)
        place += 1
    return found
