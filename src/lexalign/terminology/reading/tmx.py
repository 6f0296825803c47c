"""TMX 1.4: each unit (tu) with a text in both languages; the first of several texts in a language counts."""

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Place
from lexalign.terminology.reading.languages import Languages, is_language
from lexalign.terminology.reading.streamed_xml import SegmentText, read_elements
from lexalign.terminology.units import Read, Rejected, Unit
from lexalign.text.languages import primary


def read(path: Path, languages: Languages) -> Iterator[Read]:
    return read_elements(path, _TmxReader(path, languages))


class _TmxReader:
    def __init__(self, path: Path, languages: Languages) -> None:
        self._path, self._languages = path, languages
        self.found: deque[Read] = deque()
        self._root_seen = False
        self._place = Place(str(path))
        self._identifier = self._language = ""
        self._texts: dict[str, SegmentText] = {}
        self._segment: SegmentText | None = None

    def start(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        if not self._root_seen and name != "tmx":
            raise LexalignError(f"{self._path}: not TMX: the root element is {name}, not tmx")
        self._root_seen = True
        if self._segment is not None:
            self._segment.open(name, attributes)
        elif name == "header":
            source = attributes.get("srclang", "")
            self._languages = self._languages.or_else(None if source in ("", "*all*") else source, None)
        elif name == "tu":
            self._place = Place(str(self._path), line)
            self._identifier, self._texts = attributes.get("tuid", ""), {}
        elif name == "tuv":
            self._language = attributes.get("xml:lang") or attributes.get("lang") or ""
        elif name == "seg":
            self._segment = SegmentText()

    def end(self, name: str) -> None:
        if self._segment is not None and name != "seg":
            self._segment.close()
        elif self._segment is not None:
            self._texts.setdefault(self._language, self._segment)
            self._segment = None
        elif name == "tu":
            self.found.append(self._unit())

    def text(self, text: str) -> None:
        if self._segment is not None:
            self._segment.add(text)

    def _unit(self) -> Read:
        self._languages = self._choose()
        source, target = (
            next((text for code, text in self._texts.items() if is_language(code, wanted)), None)
            for wanted in (self._languages.source, self._languages.target)
        )
        if source is None or target is None:
            missing = self._languages.source if source is None else self._languages.target
            return Rejected(f"no text in {missing}", self._place)
        return Unit(
            source.text, target.text, self._place, self._identifier, tuple(source.tags), tuple(target.tags)
        )

    def _choose(self) -> Languages:
        """The languages asked for; else the header's source, and the only other one of a unit."""
        source = self._languages.source or next(iter(self._texts), None)
        others = [code for code in self._texts if source is None or primary(code) != primary(source)]
        if self._languages.target is None and len(others) > 1:
            codes = ", ".join(self._texts)
            raise LexalignError(f"{self._path} holds {codes}; choose two of them, as in --languages en:de")
        return Languages(source, self._languages.target or next(iter(others), None))
