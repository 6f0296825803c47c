"""Where lines go: standard output as they come, or a file that is whole or not there."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lexalign.storage import new_file

Write = Callable[[str], None]


@contextmanager
def open_output(path: Path | None, *, flush: bool) -> Iterator[Write]:
    """Yield what writes a line, in UTF-8 whatever the locale; `flush` shows each line at once."""
    if path is None:
        # The text layer would encode by the locale and translate line ends.
        yield _writer(sys.stdout.buffer, flush)
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():
        # A device, a pipe: it cannot be replaced, and must not be.
        with path.open("wb") as file:
            yield _writer(file, flush)
    else:
        with new_file(path.resolve()) as temporary, temporary.open("wb") as file:
            yield _writer(file, False)


def _writer(file: BinaryIO, flush: bool) -> Write:
    def write(line: str) -> None:
        file.write(line.encode("utf-8") + b"\n")
        if flush:
            file.flush()

    return write
