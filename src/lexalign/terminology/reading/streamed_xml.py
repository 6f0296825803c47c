"""XML read as a stream of elements, for memories that no memory would hold.

Entities must not be declared, so that none can expand or fetch anything. What stands in `CODES` is markup of
another format and no text; its element is a tag, and so are elements that enclose text (`g`, `hi`, `pc`).
"""

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol
from xml.parsers import expat

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import DAMAGE, open_bytes
from lexalign.markup.inline.builder import MAX_DEPTH
from lexalign.terminology.units import Read

CODES = frozenset({"bpt", "ept", "it", "ph", "ut", "x", "bx", "ex", "sc", "ec", "cp", "sub"})
_CHUNK_BYTES = 1 << 20
# A segment is text for a person to read; a longer one is cut here, and then refused as too long.
_MAX_CHARACTERS = 200_000


class ElementReader(Protocol):
    """What a format does with the elements; `found` are its units so far, which the caller takes away."""

    found: deque[Read]

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


class SegmentText:
    """The text and the tags of a segment, from its elements."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = self._code_depth = 0
        self.tags: list[str] = []

    def open(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._code_depth or name in CODES:
            self._code_depth += 1
        if name not in ("mrk", "sub") and self._code_depth <= 1:
            number = attributes.get("id") or attributes.get("i") or attributes.get("x") or ""
            self.tags.append(f"{name} {number}".rstrip())

    def close(self) -> None:
        self._code_depth = max(0, self._code_depth - 1)

    def add(self, text: str) -> None:
        if not self._code_depth and self._length <= _MAX_CHARACTERS:
            self._parts.append(text)
            self._length += len(text)

    @property
    def text(self) -> str:
        return " ".join("".join(self._parts).split())


def read_elements(path: Path, reader: ElementReader) -> Iterator[Read]:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise LexalignError(f"{path}, line {parser.CurrentLineNumber}: elements are nested too deep")
        reader.start(name.rpartition(":")[2], attributes, parser.CurrentLineNumber)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end(name.rpartition(":")[2])

    def refuse(name: str, *_: object) -> None:
        raise LexalignError(
            f"{path}, line {parser.CurrentLineNumber}: declares the entity {name!r}, which is refused for "
            "safety; write out what it stands for"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = reader.text, refuse
    try:
        with open_bytes(path) as file:
            while chunk := file.read(_CHUNK_BYTES):
                parser.Parse(chunk, False)
                yield from _take(reader)
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise LexalignError(f"{path}, line {error.lineno}: not well-formed XML: {reason}") from None
    except DAMAGE as error:
        raise LexalignError(f"{path} is damaged or cut off: {error}") from error
    yield from _take(reader)


def _take(reader: ElementReader) -> Iterator[Read]:
    while reader.found:
        yield reader.found.popleft()
