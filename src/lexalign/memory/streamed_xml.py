"""XML read as a stream of elements, for files that no memory would hold.

Entities must not be declared, so that none can expand or fetch anything.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, TypeVar
from xml.parsers import expat

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import DAMAGE, open_bytes
from lexalign.markup.inline.builder import MAX_DEPTH

_CHUNK_BYTES = 1 << 20
Unit = TypeVar("Unit")


class ElementReader(Protocol[Unit]):
    """What a format does with the elements; `found` are its units so far, which the caller takes away."""

    found: deque[Unit]

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def read_elements(path: Path, reader: ElementReader[Unit]) -> Iterator[Unit]:
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


def _take(reader: ElementReader[Unit]) -> Iterator[Unit]:
    while reader.found:
        yield reader.found.popleft()
