"""The text and the tags of a segment of XLIFF, from its elements.

What stands in `CODES` is markup of another format and no text; its element is a tag, and so are elements that
enclose text (`g`, `pc`).
"""

from collections.abc import Mapping

CODES = frozenset({"bpt", "ept", "it", "ph", "ut", "x", "bx", "ex", "sc", "ec", "cp", "sub"})
# A segment is text for a person to read; a longer one is cut here, and then refused as too long.
_MAX_CHARACTERS = 200_000


class SegmentText:
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
