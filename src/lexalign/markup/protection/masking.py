"""Masking: untranslatables are replaced by stand-ins, and symbols and tags are removed.

    Hallo {name} 🎉, siehe <b>https://example.com</b>.     source
    Hallo X1, siehe X2.                                    masked; 🎉 and <b> are its tags

Models copy a capital X with a number, whatever they were trained on, and treat it as a name. If the text
itself has such a word, another number is used.
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

_STAND_IN_LIKE = re.compile(r"X+(\d{1,6})")


@dataclass(frozen=True, kw_only=True)
class StandIn:
    """A word of the masked text, and the untranslatable that it stands for."""

    word: str
    span: Span
    original: Untranslatable


@dataclass(frozen=True, kw_only=True)
class Lifted:
    """An untranslatable that was removed from the text: a tag of it, or the closing of one."""

    tag: int
    closes: bool
    original: Untranslatable


@dataclass(frozen=True, kw_only=True)
class MaskedText:
    """A masked text; `starts` and `ends` are the source offsets of each of its characters."""

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
        """All masked untranslatables, in the order of the source."""
        stood_for = [one.original for one in self.stand_ins]
        return sorted([*stood_for, *(one.original for one in self.lifted)], key=lambda one: one.start)

    @property
    def has_words(self) -> bool:
        """Whether there is a letter to translate beside the stand-ins."""
        position = 0
        for one in self.stand_ins:
            if any(map(str.isalpha, self.text[position : one.span[0]])):
                return True
            position = one.span[1]
        return any(map(str.isalpha, self.text[position:]))

    def to_source(self, span: Span) -> Span:
        """The source span of a span of the masked text."""
        if not self.changed:
            return span
        start, end = span
        if start >= end:
            position = self.starts[start] if start < len(self.starts) else len(self.source)
            return position, position
        return self.starts[start], self.ends[end - 1]

    def from_source(self, span: Span) -> Span:
        """The span of the masked text for a source span."""
        if not self.changed:
            return span
        return bisect_right(self.ends, span[0]), bisect_right(self.starts, span[1] - 1)


def mask_text(source: str, untranslatables: Sequence[Untranslatable]) -> MaskedText:
    """Mask untranslatables, which are in the order of the text and do not overlap."""
    if not untranslatables:
        return MaskedText(source=source, tagged=TaggedText(source))
    masker = _Masker(source)
    for one in untranslatables:
        masker.add(one)
    return masker.finish()


class _Masker:
    def __init__(self, source: str) -> None:
        self._source, self._position = source, 0
        self._builder = TagBuilder()
        self._raw: list[
            str
        ] = []  # the text before the builder removes spaces, and the source span of each character
        self._spans: list[Span] = []
        self._stand_ins: list[StandIn] = []
        self._lifted: list[Lifted] = []
        self._taken = {int(match[1]) for match in _STAND_IN_LIKE.finditer(source)}
        self._number = 0
        self._last = ""  # the last character written

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
        kept = _kept_indices("".join(self._raw), tagged.text)
        positions = {raw: index for index, raw in enumerate(kept)}
        stand_ins = tuple(
            StandIn(
                word=one.word,
                span=(positions[one.span[0]], positions[one.span[1] - 1] + 1),
                original=one.original,
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
            tag, closes = builder.empty(markup), False
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


def _kept_indices(raw: str, text: str) -> list[int]:
    """The indices of the characters that are left; only spaces beside tags are removed."""
    if raw == text:
        return list(range(len(raw)))
    found, index = [], 0
    for character in text:
        while raw[index] != character:
            index += 1
        found.append(index)
        index += 1
    return found
