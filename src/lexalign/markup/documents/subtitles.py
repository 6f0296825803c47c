"""Subtitles, SubRip and WebVTT: the text of the cues; numbers, times, settings and notes stay to the byte.

A sentence that goes on in the next cue is translated as a whole. Its translation is divided where the words
of the next cue begin, by alignment, and otherwise by the lengths of the cues. The lines of a cue are broken
anew, none longer than the longest of the file; speakers, with a dash before each line, keep their lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import DocumentOptions, Edit, Segment, SplicedDocument
from lexalign.markup.documents.encoding import Encoding, decode
from lexalign.markup.documents.line_breaking import break_lines, divide
from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.tagged_text import Tag, TaggedText

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMES = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\r\n]*", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_TAG = re.compile(
    r"""(?P<end></(?P<end_name>[a-z]*)>)
      | (?P<start><(?P<start_name>[a-z]+)(?:[.\s][^<>]*)?>)
      | (?P<alone><[\d:.]+>|\{\\[^{}]*\}|<[A-Z][^<>]*>)""",
    re.VERBOSE,
)
_SPEAKER = re.compile(r"\s*[-–—]\s?\S")
_DASH = re.compile(r"\s*[-–—]?\s*")
_SENTENCE_END = re.compile(r"""[.!?…:;♪)\]。！？؟।][\"'”’»]*\s*\Z""")
_MAX_JOINED = 6  # cues; a file without punctuation is not one sentence
_CUE_END = "\n"  # the markup of the tag between two cues
_MIN_LINE = 32


@dataclass(frozen=True, slots=True)
class Cue:
    """The text of a cue: its characters `start` to `end`, and the lines in them."""

    start: int
    end: int
    lines: tuple[str, ...]
    line_starts: tuple[int, ...]
    line_number: int


@dataclass(frozen=True, slots=True)
class _Group:
    """Cues, or a single line of a cue, that are translated as one segment."""

    spans: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    line_number: int


def read(content: bytes, options: DocumentOptions) -> "SubtitleDocument":
    text, encoding = decode(content)
    cues = list(read_cues(text))
    if not cues and text.strip():
        raise LexalignError(
            "no subtitles: there is no line with times, such as 00:00:01,000 --> 00:00:04,000"
        )
    longest = max((len(_TAG.sub("", line)) for cue in cues for line in cue.lines), default=0)
    length = options.line_length or max(_MIN_LINE, longest)
    return SubtitleDocument(text, encoding, list(_groups(cues)), length)


class SubtitleDocument:
    """A segment is a group of cues, so its translation becomes several edits."""

    def __init__(self, text: str, encoding: Encoding, groups: Sequence[_Group], line_length: int) -> None:
        self._text, self._encoding = text, encoding
        self._groups, self._line_length = groups, line_length
        self._is_vtt = text.startswith("WEBVTT")
        self._line_end = "\r\n" if "\r\n" in text else "\n"
        self.segments: Sequence[Segment] = [
            Segment(_tagged(group.texts, self._is_vtt), f"line {group.line_number}") for group in groups
        ]

    def write(self, translations: Sequence[TaggedText]) -> bytes:
        edits = [
            Edit(start=start, end=end, before=self._lines(part))
            for group, translation in zip(self._groups, translations, strict=True)
            for (start, end), part in zip(group.spans, _parts(translation, group.texts), strict=True)
        ]
        document = SplicedDocument(content=self._text, edits=edits, escape=str, encode=self._encoding.encode)
        return document.write([])

    def _lines(self, part: TaggedText) -> str:
        def escape(text: str) -> str:
            return text.replace("&", "&amp;").replace("<", "&lt;") if self._is_vtt else text

        return self._line_end.join(line.render(escape) for line in break_lines(part, self._line_length))


def read_cues(text: str) -> Iterator[Cue]:
    """The cues of a file: the lines after a line of times, up to a blank one."""
    line_number, counted = 1, 0
    for times in _TIMES.finditer(text):
        position = times.end()
        line_number += text.count("\n", counted, times.start())
        counted = times.start()
        first = _LINE.match(text, position)
        position = first.end() if first else position  # the rest of the line of times
        lines: list[str] = []
        starts: list[int] = []
        while position < len(text) and (line := _LINE.match(text, position)) and line[0].strip():
            lines.append(line[0].rstrip("\r\n"))
            starts.append(position)
            position = line.end()
        if lines:
            end = starts[-1] + len(lines[-1])
            yield Cue(starts[0], end, tuple(lines), tuple(starts), line_number + 1)


def _groups(cues: Sequence[Cue]) -> Iterator[_Group]:
    waiting: list[Cue] = []
    for cue in cues:
        if len(cue.lines) > 1 and all(_SPEAKER.match(line) for line in cue.lines[1:]):
            yield from _joined(waiting)
            waiting = []
            yield from _single_lines(cue)
            continue
        waiting.append(cue)
        if _SENTENCE_END.search(_TAG.sub("", cue.lines[-1])) or len(waiting) == _MAX_JOINED:
            yield from _joined(waiting)
            waiting = []
    yield from _joined(waiting)


def _joined(cues: Sequence[Cue]) -> Iterator[_Group]:
    if any(character.isalpha() for cue in cues for line in cue.lines for character in _TAG.sub("", line)):
        spans = tuple((cue.start, cue.end) for cue in cues)
        texts = tuple(" ".join(line.strip() for line in cue.lines) for cue in cues)
        yield _Group(spans, texts, cues[0].line_number)


def _single_lines(cue: Cue) -> Iterator[_Group]:
    for index, (line, begin) in enumerate(zip(cue.lines, cue.line_starts, strict=True)):
        marked = _DASH.match(line)
        offset = marked.end() if marked else 0
        if any(character.isalpha() for character in _TAG.sub("", line)):
            span = (begin + offset, begin + len(line))
            yield _Group((span,), (line[offset:],), cue.line_number + index)


def _tagged(texts: Sequence[str], is_vtt: bool) -> TaggedText:
    """The texts of cues, joined by spaces, with a tag between each two of them."""
    builder = TagBuilder()
    for index, text in enumerate(texts):
        if index:
            builder.text(" ")
            builder.close(_CUE_END, _CUE_END)
        position = 0
        for match in _TAG.finditer(text):
            builder.text(
                unescape(text[position : match.start()]) if is_vtt else text[position : match.start()]
            )
            position = match.end()
            if match["end"]:
                builder.close(match[0], match["end_name"])
            elif match["start"]:
                builder.open(match[0], match["start_name"])
            else:
                builder.empty(match[0])
        builder.text(unescape(text[position:]) if is_vtt else text[position:])
    return builder.build()


def _parts(translation: TaggedText, texts: Sequence[str]) -> list[TaggedText]:
    """The translation divided among its cues."""
    cuts = [tag.start for tag in translation.tags if tag.opening == _CUE_END]
    kept = _without_cuts(translation)
    return divide(kept, cuts, [len(_TAG.sub("", text)) for text in texts])


def _without_cuts(text: TaggedText) -> TaggedText:
    new_index: dict[int, int] = {}
    tags: list[Tag] = []
    for index, tag in enumerate(text.tags):
        if tag.opening != _CUE_END:
            new_index[index] = len(tags)
            tags.append(replace(tag, parent=None if tag.parent is None else new_index[tag.parent]))
    return TaggedText(text.text, tuple(tags))
