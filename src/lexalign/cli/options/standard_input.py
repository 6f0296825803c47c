"""Lines from standard input, in windows that do not wait for more than there is.

A window ends when it is full, or when the input has been silent for a moment; an empty window then says so.
So a file goes through in large windows, and a line that a person types, or a program writes and waits for
its translation, is answered at once. (Windows cannot ask a pipe whether it is silent: there, windows are full
or at the end of the input.)
"""

import os
import select
import sys
from collections.abc import Iterator

from lexalign.data.reader import decode_line

_BLOCK = 1 << 16
# Long enough for a program that writes line by line to be taken for one that has more to say.
_MOMENT_S = 0.05
# A Ctrl-C just before a system call that blocks is noticed only after it, so none blocks for long.
_PATIENCE_S = 0.5


def read_beginning(descriptor: int) -> bytes:
    """What comes first, to look at; `read_windows` is to be given it."""
    while not _has_more(descriptor, _PATIENCE_S):
        pass
    return os.read(descriptor, _BLOCK)


def read_windows(descriptor: int, size: int, begun: bytes = b"") -> Iterator[list[str]]:
    """Windows of at most `size` lines; an empty one where the input pauses."""
    lines: list[str] = []
    for line in _read_lines(descriptor, begun):
        if line is not None:
            lines.append(line)
        if line is None or len(lines) == size:
            if lines:
                yield lines
            lines = []
        if line is None:
            yield []
    if lines:
        yield lines


def _read_lines(descriptor: int, begun: bytes) -> Iterator[str | None]:
    """Lines without their ends, and None where there are none for a moment."""
    number, rest, silent = 0, b"", True
    while True:
        if not begun and not _has_more(descriptor, _PATIENCE_S if silent else _MOMENT_S):
            if not silent:
                yield None
            silent = True
            continue
        block, begun = begun or os.read(descriptor, _BLOCK), b""
        *whole, rest = (rest + block).split(b"\n")
        if not block and rest:
            whole, rest = [rest], b""
        for line in whole:
            number, silent = number + 1, False
            yield decode_line(line, f"standard input, line {number}")
        if not block:
            return


def _has_more(descriptor: int, seconds: float) -> bool:
    if sys.platform == "win32":
        return True
    return bool(select.select([descriptor], [], [], seconds)[0])
