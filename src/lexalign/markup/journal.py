"""The journal of a document: its translated sentences, kept beside the output until it is complete.

The first line identifies the model and the options; the journal of others is discarded. Each further line is
a sentence, written as soon as it is translated, so a run that was stopped can resume. An incomplete last line
is ignored.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.contracts.errors import LexalignError

Finished = tuple[TextAlignment, object]  # a sentence, and its details


class Journal:
    def __init__(self, path: Path, file: BinaryIO, finished: list[Finished]) -> None:
        self.path, self._file, self.finished = path, file, finished
        self._num_added = 0

    @classmethod
    @contextmanager
    def beside(cls, output: Path, maker: str) -> Iterator[Self]:
        """The journal of an output file; `maker` identifies all that translations depend on."""
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

    def add(self, aligned: TextAlignment, details: object = None) -> None:
        """`details`, of JSON's types, are kept beside the sentence."""
        links = [[*link.source, *link.target, link.probability] for link in aligned.links]
        texts = {"source": aligned.source, "target": aligned.target}
        self._num_added += 1
        self._write({**texts, "links": links, "mutual": aligned.mutual, "details": details})

    @property
    def is_empty(self) -> bool:
        return not self.finished and not self._num_added

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    def _write(self, content: object) -> None:
        self._file.write(json.dumps(content).encode() + b"\n")
        self._file.flush()


def _read(path: Path, maker: str) -> tuple[list[Finished], int]:
    """The finished sentences, and the number of valid bytes in the file."""
    found: list[Finished] = []
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
                    found.append((_aligned(content), content["details"]))
            except (ValueError, TypeError, KeyError, IndexError):
                break  # if it is the first line, nothing is finished
            length += len(line)
    return found, length


def _aligned(content: dict[str, object]) -> TextAlignment:
    source, target, links = content["source"], content["target"], content["links"]
    if not isinstance(source, str) or not isinstance(target, str) or not isinstance(links, list):
        raise TypeError("not a line of a journal")
    spans = (SpanLink((one[0], one[1]), (one[2], one[3]), one[4]) for one in links)
    mutual = content["mutual"] is True
    return TextAlignment(source=source, target=target, links=tuple(spans), mutual=mutual)
