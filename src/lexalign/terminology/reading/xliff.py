"""XLIFF 1.2 and 2: units with their targets, segment by segment where both sides are segmented alike.

`alt-trans` are no translations of this file, and units with translate="no" are passed over. A unit without a
target has an empty one.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Place
from lexalign.memory.streamed_xml import read_elements
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.reading.segment_text import SegmentText
from lexalign.terminology.units import Read, Unit

_UNITS = ("trans-unit", "segment")  # of 1.2 and of 2
_SIDES = ("source", "seg-source", "target")


def read(path: Path, _languages: Languages) -> Iterator[Read]:
    return read_elements(path, _XliffReader(path))


class _XliffReader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: deque[Read] = deque()
        self._root_seen = False
        self._place, self._identifier, self._unit_id = Place(str(path)), "", ""
        self._kept: list[bool] = [False]  # of the open elements: whether translate="no" holds there
        self._alternatives = 0  # open alt-trans elements
        self._sides: dict[str, dict[str, SegmentText]] = {}  # by the id of a marked segment; "" is the whole
        self._side: str | None = None
        self._open: list[str] = []  # ids of the marked segments, or of none, that are open in a side

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        if not self._root_seen and name != "xliff":
            raise LexalignError(f"{self._path}: not XLIFF: the root element is {name}, not xliff")
        self._root_seen = True
        said = attributes.get("translate")
        self._kept.append(self._kept[-1] if said is None else said == "no")
        if self._side is not None:
            self._start_inside(name, attributes)
        elif name == "alt-trans":
            self._alternatives += 1
        elif name == "unit":
            self._unit_id = attributes.get("id", "")
        elif name in _UNITS:
            self._place = Place(str(self._path), line)
            self._identifier = attributes.get("resname") or attributes.get("id") or self._unit_id
            self._sides = {}
        elif name in _SIDES and not self._alternatives:
            self._side = name
            self._sides[name], self._open = {"": SegmentText()}, []

    def end(self, name: str) -> None:
        kept = self._kept.pop()
        if name == "alt-trans":
            self._alternatives -= 1
        elif self._side is not None and name == self._side:
            self._side = None
        elif self._side is not None:
            for text in self._texts():
                text.close()
            self._open.pop()
        elif name in _UNITS and not kept:
            self.found.extend(self._units())

    def text(self, text: str) -> None:
        if self._side is not None:
            for one in self._texts():
                one.add(text)

    def _start_inside(self, name: str, attributes: Mapping[str, str]) -> None:
        assert self._side is not None
        for text in self._texts():
            text.open(name, attributes)
        marked = attributes.get("mid", "") if attributes.get("mtype") == "seg" else ""
        self._open.append(marked)
        if marked:
            self._sides[self._side][marked] = SegmentText()

    def _texts(self) -> list[SegmentText]:
        """The whole side, and the marked segment that is open."""
        assert self._side is not None
        sides = self._sides[self._side]
        return [sides[number] for number in dict.fromkeys(["", *self._open]) if number in sides]

    def _units(self) -> Iterator[Unit]:
        sources = self._sides.get("seg-source") or self._sides.get("source") or {"": SegmentText()}
        targets = self._sides.get("target") or {"": SegmentText()}
        numbers = [number for number in sources if number]
        if not numbers or numbers != [number for number in targets if number]:
            sources, numbers = self._sides.get("source", sources), [""]
        for number in numbers:
            source, target = sources[number], targets[number]
            yield Unit(
                source.text,
                target.text,
                self._place,
                self._identifier,
                tuple(source.tags),
                tuple(target.tags),
            )
