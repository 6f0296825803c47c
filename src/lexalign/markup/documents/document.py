"""The protocol of documents: segments to translate, and the document with their translations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from lexalign.contracts.errors import LexalignError
from lexalign.markup.inline.xml import TagOptions
from lexalign.markup.tagged_text import TaggedText


@dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    """Languages are written into documents that name them, and select the texts of a TMX file."""

    source_language: str | None = None
    target_language: str | None = None
    retranslate: bool = False  # also segments that have a translation
    columns: tuple[str, ...] = ()  # of a table: NAME, or SOURCE=TARGET; a number counts from 1
    tags: TagOptions = field(default_factory=TagOptions)  # of XML
    line_length: int | None = None  # of subtitles; otherwise that of the longest line


@dataclass(frozen=True, slots=True)
class Segment:
    """A text to translate: a paragraph, a string, a unit; `where` is its location, for errors."""

    text: TaggedText
    where: str
    max_length: int | None = None  # characters that the document allows its translation


class Document(Protocol):
    @property
    def segments(self) -> Sequence[Segment]: ...

    def write(self, translations: Sequence[TaggedText]) -> bytes:
        """The document with the translations of its segments."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """New text for the characters `start` to `end`: `before`, the translation of a segment, `after`.

    `write` writes the translation where it is not just rendered with the document's `escape`.
    """

    start: int
    end: int
    before: str = ""
    segment: Segment | None = None
    after: str = ""
    write: Callable[[TaggedText], str] | None = None


@dataclass(frozen=True, kw_only=True)
class SplicedDocument:
    """A document that is its original text with some edits, in the order of the text."""

    content: str
    edits: Sequence[Edit]
    escape: Callable[[str], str]
    encode: Callable[[str], bytes]

    @cached_property
    def segments(self) -> list[Segment]:
        return [edit.segment for edit in self.edits if edit.segment is not None]

    def write(self, translations: Sequence[TaggedText]) -> bytes:
        return self.encode(self.splice(translations))

    def splice(self, translations: Sequence[TaggedText]) -> str:
        parts: list[str] = []
        position = 0
        remaining = iter(translations)
        for edit in self.edits:
            parts += (self.content[position : edit.start], edit.before)
            if edit.segment is not None:
                translation = next(remaining)
                parts.append(edit.write(translation) if edit.write else translation.render(self.escape))
            parts.append(edit.after)
            position = edit.end
        parts.append(self.content[position:])
        return "".join(parts)


def too_long(segments: Sequence[Segment], translations: Sequence[TaggedText]) -> Iterator[str]:
    """What is to be said of translations that are longer than their document allows."""
    for segment, translation in zip(segments, translations, strict=True):
        if segment.max_length is not None and len(translation.text) > segment.max_length:
            yield (
                f"{segment.where}: the translation has {len(translation.text)} characters, "
                f"and {segment.max_length} are allowed: {translation.text[:60]!r}"
            )


def target_language(named: str | None, options: DocumentOptions, where: str) -> str | None:
    """The target language to write into the document, or None where it names one already.

    A document for another language than the requested one is refused.
    """
    if named and options.target_language and not same_language(named, options.target_language):
        raise LexalignError(
            f"{where} is for {named!r}, and --to is {options.target_language!r}; leave one out"
        )
    return None if named else options.target_language


def same_language(one: str, other: str) -> bool:
    """Whether two codes mean the same language, as `de` and `de-AT`."""
    first, second = (code.lower().replace("_", "-").split("-") for code in (one, other))
    return first[0] == second[0] and (len(first) == 1 or len(second) == 1 or first == second)
