"""TMX, read as a stream.

Of the inline elements only their kind and their places count, since a document has markup of its own: `hi`
and `bpt` with its `ept` enclose text, all others are empty, and their content is not text. Elements of both
sides belong together by their attribute `x`; without it, by their `i`, else by their content and order.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.markup import TaggedText
from lexalign.markup.documents.document import same_language
from lexalign.markup.inline.builder import TagBuilder
from lexalign.memory.streamed_xml import read_elements
from lexalign.memory.units import MemoryUnit
from lexalign.text.subwords import Languages

MAX_CHARACTERS = 200_000  # of a text; a segment is for a person to read


@dataclass(frozen=True, slots=True)
class TmxUnit:
    """A `tu`: its texts by their languages, of several in one language the first."""

    texts: dict[str, TaggedText]
    line: int
    identifier: str
    header_language: str | None
    is_too_long: bool  # a text was cut off at the limit


def read_tmx(path: Path, languages: Languages) -> Iterator[MemoryUnit]:
    """Units with a text in both languages; those with one over the limit are no segments."""
    for unit in read_tmx_units(path):
        found = [
            next((text for code, text in unit.texts.items() if code and same_language(code, wanted)), None)
            for wanted in languages
        ]
        source, target = found
        if source and target and source.text.strip() and target.text.strip() and not unit.is_too_long:
            yield MemoryUnit(source, target, f"{path}, line {unit.line}")


def read_tmx_units(path: Path) -> Iterator[TmxUnit]:
    return read_elements(path, _Reader(path))


class _Reader:
    """Handles elements; finished units wait until they are fetched."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: deque[TmxUnit] = deque()
        self._is_tmx = self._is_too_long = False
        self._line, self._identifier, self._language = 0, "", ""
        self._header_language: str | None = None
        self._texts: dict[str, TaggedText] = {}
        self._segment: _Segment | None = None

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        if not self._is_tmx and name != "tmx":
            raise LexalignError(f"{self._path}: not TMX: the root element is {name}, not tmx")
        self._is_tmx = True
        if self._segment is not None:
            self._segment.start(name, attributes)
        elif name == "header":
            source = attributes.get("srclang", "")
            self._header_language = None if source in ("", "*all*") else source
        elif name == "tu":
            self._line, self._identifier = line, attributes.get("tuid", "")
            self._texts, self._is_too_long = {}, False
        elif name == "tuv":
            self._language = attributes.get("xml:lang") or attributes.get("lang") or ""
        elif name == "seg":
            self._segment = _Segment()

    def end(self, name: str) -> None:
        if self._segment is not None and name == "seg":
            self._texts.setdefault(self._language, self._segment.build())
            self._is_too_long |= self._segment.length > MAX_CHARACTERS
            self._segment = None
        elif self._segment is not None:
            self._segment.end(name)
        elif name == "tu":
            self.found.append(
                TmxUnit(self._texts, self._line, self._identifier, self._header_language, self._is_too_long)
            )

    def text(self, text: str) -> None:
        if self._segment is not None:
            self._segment.text(text)


class _Segment:
    """The text and the tags of a `seg`."""

    def __init__(self) -> None:
        self._builder = TagBuilder()
        self.length = 0  # of all text and code
        self._code_depth = 0
        self._code: list[str] = []
        self._pending: tuple[str, Mapping[str, str]] = ("", {})

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
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

    def _add_code(self, name: str, attributes: Mapping[str, str]) -> None:
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
        self.length += len(text)
        if self.length > MAX_CHARACTERS:
            return
        if self._code_depth:
            self._code.append(text)
        else:
            self._builder.text(text)

    def build(self) -> TaggedText:
        return self._builder.build()
