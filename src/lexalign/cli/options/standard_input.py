"""Lines from standard input, in windows that do not wait for input that is not there yet.

A window ends when it is full, or when no input has come for a moment; an empty window then marks the pause.
So a file is read in large windows, and a line that a person types, or that a program writes before it waits
for the translation, is translated at once. (Windows cannot ask whether a pipe has input: there, a window ends
only when it is full or at the end of the input.)
"""

import os
import select
import sys
from collections.abc import Iterator

from lexalign.data.reader import decode_line

_BLOCK = 1 << 16
# A program that writes line by line is given this long to write its next line.
_PAUSE_S = 0.05
# A Ctrl-C just before a blocking system call is noticed only after it, so no call blocks for long.
_POLL_S = 0.5


def read_first_block(descriptor: int) -> bytes:
    """The first block, as a sample; the caller passes it on to `read_windows`."""
    while not _has_input(descriptor, _POLL_S):
        pass
    return os.read(descriptor, _BLOCK)


def read_windows(descriptor: int, size: int, first_block: bytes = b"") -> Iterator[list[str]]:
    """Windows of at most `size` lines; an empty one where the input pauses."""
    lines: list[str] = []
    for line in _read_lines(descriptor, first_block):
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


def _read_lines(descriptor: int, first_block: bytes) -> Iterator[str | None]:
    """Lines without their line ends, and None where the input pauses."""
    number, rest, paused = 0, b"", True
    while True:
        if not first_block and not _has_input(descriptor, _POLL_S if paused else _PAUSE_S):
            if not paused:
                yield None
            paused = True
            continue
        block, first_block = first_block or os.read(descriptor, _BLOCK), b""
        *whole, rest = (rest + block).split(b"\n")
        if not block and rest:
            whole, rest = [rest], b""
        for line in whole:
            number, paused = number + 1, False
            yield decode_line(line, f"standard input, line {number}")
        if not block:
            return


def _has_input(descriptor: int, seconds: float) -> bool:
    if sys.platform == "win32":
        return True
    return bool(select.select([descriptor], [], [], seconds)[0])
