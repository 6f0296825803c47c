"""Office documents: the paragraphs of some parts are translated, all other parts stay to the byte.

A paragraph inside of another, as in a text box, is translated before the one around it.
"""

from collections.abc import Callable, Iterator, Sequence

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import Edit, Segment
from lexalign.markup.documents.encoding import decode_xml
from lexalign.markup.documents.layers import Layer, LayeredDocument
from lexalign.markup.documents.office.package import Package
from lexalign.markup.documents.office.run_writing import DRAWING, WORD, RunNames
from lexalign.markup.documents.office.runs import read_runs
from lexalign.markup.documents.xml_tree import Element, parse_xml
from lexalign.markup.inline.xml import escape_xml
from lexalign.markup.tagged_text import TaggedText

_MAX_LEVELS = 8


class OfficeDocument:
    """`prefix` is the one that Office writes before the elements of the main part."""

    def __init__(self, content: bytes, is_part: Callable[[str], bool], main_part: str, prefix: str) -> None:
        self._package = Package(content)
        if main_part not in self._package.names:
            raise LexalignError(f"not an Office document of this kind: it has no {main_part}")
        self._package.check_size([main_part])
        if f"<{prefix}:".encode() not in self._package.read(main_part):
            raise LexalignError(
                f"the elements of {main_part} are not named as by Office; "
                "open the document there and save it again"
            )
        names = [name for name in self._package.names if is_part(name)]
        self._package.check_size(names)
        self._parts = [(name, _part(self._package.read(name), name)) for name in names]
        self.segments: Sequence[Segment] = [segment for _, part in self._parts for segment in part.segments]

    def write(self, translations: Sequence[TaggedText]) -> bytes:
        changed: dict[str, bytes] = {}
        position = 0
        for name, part in self._parts:
            end = position + len(part.segments)
            if end > position:
                changed[name] = part.write(translations[position:end])
            position = end
        return self._package.replaced(changed)


def _part(content: bytes, name: str) -> LayeredDocument:
    text, encoding = decode_xml(content)
    try:
        levels = max((level for level, _, _ in _paragraphs(text)), default=0)
    except LexalignError as error:
        raise LexalignError(f"{name}: {error}") from None
    if levels > _MAX_LEVELS:
        raise LexalignError(
            f"{name}: text boxes are nested more than {_MAX_LEVELS} deep; is this file malicious?"
        )
    layers = [Layer(_finder(level, name), escape_xml) for level in range(levels, -1, -1)]
    return LayeredDocument(text, layers, encoding.encode)


def _finder(level: int, name: str) -> Callable[[str], Iterator[Edit]]:
    def find(text: str) -> Iterator[Edit]:
        for depth, paragraph, names in _paragraphs(text):
            runs = read_runs(text, paragraph, names) if depth == level else None
            if runs is not None:
                segment = Segment(runs.text, f"{name}, line {paragraph.line}")
                yield Edit(start=runs.start, end=runs.end, segment=segment, write=runs.write)

    return find


def _paragraphs(text: str) -> Iterator[tuple[int, Element, RunNames]]:
    """The paragraphs of a part with their depth inside of others, in the order of the text."""
    waiting = [(0, parse_xml(text))]
    while waiting:
        depth, element = waiting.pop()
        names = _names(text, element)
        if names is not None:
            yield depth, element, names
            depth += 1
        waiting.extend((depth, child) for child in reversed(element.children))


def _names(text: str, element: Element) -> RunNames | None:
    if element.name != "p":
        return None
    return {"w:": WORD, "a:": DRAWING}.get(element.prefix(text))
