"""Lines of output: on standard output as they come, or in a file that is complete or not there."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lexalign.storage import new_file

WriteLine = Callable[[str], None]


@contextmanager
def open_output(path: Path | None, *, flush: bool) -> Iterator[WriteLine]:
    """Yield a function that writes a line, in UTF-8 whatever the locale; `flush` shows each line at once."""
    if path is None:
        # The text layer would encode by the locale and translate line ends.
        yield _writer(sys.stdout.buffer, flush)
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():
        # A device or a pipe must be written to, not replaced.
        with path.open("wb") as file:
            yield _writer(file, flush)
    else:
        with new_file(path.resolve()) as temporary, temporary.open("wb") as file:
            yield _writer(file, False)


def _writer(file: BinaryIO, flush: bool) -> WriteLine:
    def write(line: str) -> None:
        file.write(line.encode("utf-8") + b"\n")
        if flush:
            file.flush()

    return write
