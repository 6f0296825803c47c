"""The blocks of a Markdown text that hold inline text, with their offsets.

markdown-it tells the lines of a block, and its text without indentation and markers. Each line of that text
is found at the end of its line; the cells of a table are found between its bars.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.markdown.inline import InlineToken, inline_tokens, parser

if TYPE_CHECKING:
    from markdown_it.token import Token

_LINE = re.compile(r"[^\r\n]*(\r\n|\r|\n|\Z)")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Block:
    """Inline text; `offsets` are the characters of the document at which its lines begin."""

    content: str
    tokens: Sequence[InlineToken]
    offsets: tuple[int, ...]
    end: int
    prefix: str  # before each line but the first
    line: int
    kind: str  # heading, paragraph, cell

    def offset(self, position: int) -> int:
        """The offset in the document of a position in the content."""
        line = self.content.count("\n", 0, position)
        return self.offsets[line] + position - (self.content.rfind("\n", 0, position) + 1)


@dataclass(frozen=True, slots=True)
class HtmlBlock:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Blocks:
    texts: list[Block]
    html: list[HtmlBlock]
    references: dict[str, Any]
    line_starts: list[int]

    def line(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)


def read_blocks(text: str, *, skip: int = 0) -> Blocks:
    """Parse a text; the first `skip` characters, whole lines, are none of it."""
    lines = [match for match in _LINE.finditer(text) if match[0]]
    starts = [match.start() for match in lines]
    contents = [match[0][: len(match[0]) - len(match[1])] for match in lines]
    num_skipped = bisect_right(starts, skip - 1) if skip else 0
    env: dict[str, Any] = {}
    tokens = parser().parse("\n" * num_skipped + "\n".join(contents[num_skipped:]), env)
    reader = _Reader(contents, starts)
    texts = list(reader.texts(tokens))
    html = list(reader.html_blocks(tokens))
    return Blocks(texts, html, env.get("references", {}), starts)


class _Reader:
    def __init__(self, lines: Sequence[str], starts: Sequence[int]) -> None:
        self._lines, self._starts = lines, starts
        self._row = -1
        self._cells: Iterator[int] = iter(())

    def texts(self, tokens: Sequence["Token"]) -> Iterator[Block]:
        for index, token in enumerate(tokens):
            if token.type != "inline" or not token.map:
                continue
            kind = tokens[index - 1].type.removesuffix("_open")
            if kind in ("th", "td"):
                yield from self._cell(token, tokens, index)
            elif token.content:
                yield self._block(token, kind)

    def html_blocks(self, tokens: Sequence["Token"]) -> Iterator[HtmlBlock]:
        """Blocks of HTML; those in quotes are left alone, because every line of them has a mark before it."""
        depth = 0
        for token in tokens:
            depth += (token.type == "blockquote_open") - (token.type == "blockquote_close")
            if token.type == "html_block" and token.map and depth == 0:
                last = token.map[1] - 1
                yield HtmlBlock(self._starts[token.map[0]], self._starts[last] + len(self._lines[last]))

    def _block(self, token: "Token", kind: str) -> Block:
        assert token.map is not None
        offsets: list[int] = []
        prefix = ""
        number = token.map[0]
        parts = [part.strip() for part in token.content.split("\n")]
        for index, part in enumerate(parts):
            line = self._lines[number + index]
            column = line.rfind(part) if kind == "heading" else len(line.rstrip()) - len(part)
            if column < 0 or not line.startswith(part, column):
                raise LexalignError(
                    f"line {number + index + 1}: this text cannot be found again; is it Markdown?"
                )
            offsets.append(self._starts[number + index] + column)
            if index == 1:
                prefix = line[:column]
        end = offsets[-1] + len(parts[-1])
        content, tokens = token.content, inline_tokens(token.children or [])
        if "\n".join(parts) != content:
            content, tokens = _stripped(content, tokens)
        return Block(content, tokens, tuple(offsets), end, prefix, number + 1, kind)

    def _cell(self, token: "Token", tokens: Sequence["Token"], index: int) -> Iterator[Block]:
        assert token.map is not None
        number = token.map[0]
        if number != self._row:
            contents = _row_contents(tokens, index)
            self._row, self._cells = number, iter(_cells(self._lines[number], contents, number + 1))
        start = next(self._cells)
        if token.content:
            offset = self._starts[number] + start
            end = offset + len(token.content.replace("|", "\\|"))
            found = inline_tokens(token.children or [])
            yield Block(token.content, found, (offset,), end, "", number + 1, "cell")


def _row_contents(tokens: Sequence["Token"], index: int) -> list[str]:
    contents: list[str] = []
    while tokens[index].type != "tr_close":
        if tokens[index].type == "inline":
            contents.append(tokens[index].content)
        index += 1
    return contents


def _cells(line: str, contents: Sequence[str], number: int) -> list[int]:
    """Where the cells of a row begin: between its bars, the first perhaps before the first of them."""
    bars = [match.start() for match in _BAR.finditer(line)]
    edges = [0, *(bar + 1 for bar in bars)]
    ends = [*bars, len(line)]
    for first in (1, 0):
        found: list[int] = []
        for cell, content in enumerate(contents):
            if first + cell >= len(edges):
                found.append(len(line))  # a row may have fewer cells than its table
                matches = not content
            else:
                start, end = edges[first + cell], ends[first + cell]
                raw, written = line[start:end].rstrip(), content.replace("|", "\\|")
                found.append(start + len(raw) - len(written))
                matches = raw.endswith(written) and (first + cell == 0 or raw.strip() == written)
            if not matches:
                break
        else:
            return found
    raise LexalignError(f"line {number}: the cells of this table cannot be told apart")


def _stripped(content: str, tokens: Sequence[InlineToken]) -> tuple[str, list[InlineToken]]:
    """Text without the white space at the edges of its lines, which means nothing, and its tokens."""
    kept: list[int] = []  # the new position of each character
    parts: list[str] = []
    length = 0
    for line in content.split("\n"):
        left = len(line) - len(line.lstrip())
        stripped = line.strip()
        kept += [length + min(max(0, column - left), len(stripped)) for column in range(len(line))]
        kept.append(length + len(stripped))
        length += len(stripped) + 1
        parts.append(stripped)
    new = "\n".join(parts)
    moved = [
        InlineToken(token.kind, kept[token.start], kept[token.end], token.content, kept[token.label_end])
        for token in tokens
    ]
    return new, moved
