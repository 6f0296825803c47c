"""Sentences that are translated already, kept beside the output until it is whole.

The first line says by what they were translated; the journal of another model or of other options is thrown
away. Each further line is a sentence, written as soon as it is translated, so a run that was stopped, by
whatever, goes on where it was. A line that was not written to its end is left out.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.contracts.errors import LexalignError


class Journal:
    def __init__(self, path: Path, file: BinaryIO, finished: list[TextAlignment]) -> None:
        self.path, self._file, self.finished = path, file, finished

    @classmethod
    @contextmanager
    def beside(cls, output: Path, maker: str) -> Iterator[Self]:
        """The journal of an output; `maker` tells all that translations depend on."""
        path = output.parent / f".{output.name}.journal"
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise LexalignError(f"{path} is in the way; remove it")
        finished, length = _read(path, maker)
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(length)
            file.seek(length)
            journal = cls(path, file, finished)
            if not length:
                journal._write({"maker": maker})
            yield journal

    def add(self, aligned: TextAlignment) -> None:
        links = [[*link.source, *link.target, link.probability] for link in aligned.links]
        self._write({"source": aligned.source, "target": aligned.target, "links": links})

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    def _write(self, content: object) -> None:
        self._file.write(json.dumps(content).encode() + b"\n")
        self._file.flush()


def _read(path: Path, maker: str) -> tuple[list[TextAlignment], int]:
    """What is finished, and how many bytes of the file say so."""
    found: list[TextAlignment] = []
    length = 0
    if not path.exists():
        return found, length
    with path.open("rb") as file:
        for number, line in enumerate(file):
            try:
                content = json.loads(line) if line.endswith(b"\n") else {}
                if number == 0 and content != {"maker": maker}:
                    return [], 0
                if number > 0:
                    found.append(_aligned(content))
            except (ValueError, TypeError, KeyError, IndexError):
                break  # also where it is the first: nothing is found then
            length += len(line)
    return found, length


def _aligned(content: dict[str, object]) -> TextAlignment:
    source, target, links = content["source"], content["target"], content["links"]
    if not isinstance(source, str) or not isinstance(target, str) or not isinstance(links, list):
        raise TypeError("not a line of a journal")
    spans = (SpanLink((one[0], one[1]), (one[2], one[3]), one[4]) for one in links)
    return TextAlignment(source=source, target=target, links=tuple(spans))
