"""TMX, read as a stream.

Of the inline elements only their kind and their places count, since a document has markup of its own: `hi`
and `bpt` with its `ept` enclose text, all others are empty, and their content is not text. Elements of both
sides belong together by their attribute `x`; without it, by their `i`, else by their content and order.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from lexalign.contracts.errors import LexalignError
from lexalign.markup import TaggedText
from lexalign.markup.documents.document import same_language
from lexalign.markup.inline.builder import MAX_DEPTH, TagBuilder
from lexalign.memory.units import MemoryUnit
from lexalign.text.subwords import Languages

_CHUNK = 1 << 16  # bytes
_XML_LANGUAGE = "xml:lang"


def read_tmx(path: Path, languages: Languages) -> Iterator[MemoryUnit]:
    """Units with a text in both languages; of several texts in one language, the first counts."""
    reader = _Reader(path, languages)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield from reader.feed(chunk)
        yield from reader.feed(b"", last=True)


class _Reader:
    """Handles the events of expat; finished units wait in a list until they are fetched."""

    def __init__(self, path: Path, languages: Languages) -> None:
        self._path, self._languages = path, languages
        self._units: list[MemoryUnit] = []
        self._sides: dict[int, TaggedText] = {}  # of the unit: 0 source, 1 target
        self._side: int | None = None
        self._segment: _Segment | None = None
        self._depth = 0
        self._is_tmx = False
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entity

    def feed(self, chunk: bytes, last: bool = False) -> list[MemoryUnit]:
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise LexalignError(f"{self._path}, line {error.lineno}: not well-formed XML: {reason}") from None
        units, self._units = self._units, []
        return units

    def _here(self) -> str:
        return f"{self._path}, line {self._parser.CurrentLineNumber}"

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise LexalignError(f"{self._here()}: declares the entity {name!r}, which could make a file harmful")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise LexalignError(f"{self._here()}: elements are nested more than {MAX_DEPTH} deep")
        if self._segment is not None:
            self._segment.start(name, attributes)
        elif name == "tu":
            self._sides = {}
        elif name == "tuv":
            self._side = self._side_of(attributes.get(_XML_LANGUAGE) or attributes.get("lang") or "")
        elif name == "seg" and self._side is not None and self._side not in self._sides:
            self._segment = _Segment()
            self._parser.CharacterDataHandler = self._segment.text
        elif self._depth == 1 and name != "tmx":
            raise LexalignError(f"{self._path}: not a TMX file; its root is <{name}>")

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._segment is not None and name == "seg":
            assert self._side is not None
            self._sides[self._side] = self._segment.build()
            self._segment = None
            self._parser.CharacterDataHandler = None
        elif self._segment is not None:
            self._segment.end(name)
        elif name == "tu" and len(self._sides) == 2 and all(one.text.strip() for one in self._sides.values()):
            self._units.append(MemoryUnit(self._sides[0], self._sides[1], self._here()))

    def _side_of(self, language: str) -> int | None:
        for side, wanted in enumerate(self._languages):
            if language and same_language(language, wanted):
                return side
        return None


class _Segment:
    """The text and the tags of a `seg`."""

    def __init__(self) -> None:
        self._builder = TagBuilder()
        self._code_depth = 0
        self._code: list[str] = []
        self._pending: tuple[str, dict[str, str]] = ("", {})

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._code_depth:
            self._code_depth += 1
        elif name == "hi":
            self._builder.open(f"hi {attributes.get('x') or attributes.get('type') or ''}", "hi")
        else:
            self._pending, self._code_depth, self._code = (name, attributes), 1, []

    def end(self, name: str) -> None:
        if self._code_depth > 1:
            self._code_depth -= 1
        elif self._code_depth == 1:
            self._code_depth = 0
            self._add_code(*self._pending)
        elif name == "hi":
            self._builder.close("", "hi")

    def _add_code(self, name: str, attributes: dict[str, str]) -> None:
        content = "".join(self._code)
        number = attributes.get("i", "")
        key = f"{name} {attributes.get('x') or number or content}"
        if name == "bpt":
            self._builder.open(key, number)
        elif name == "ept":
            self._builder.close("", number)
        else:
            self._builder.empty(key)

    def text(self, text: str) -> None:
        if self._code_depth:
            self._code.append(text)
        else:
            self._builder.text(text)

    def build(self) -> TaggedText:
        return self._builder.build()
