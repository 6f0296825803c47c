"""Detokenization of SentencePiece pieces, with the character span of each piece.

SentencePiece marks a space with U+2581 and puts one such mark before the text (the dummy prefix), so
"das Haus" is spelled `▁das ▁Ha us`. Characters outside the vocabulary are spelled as UTF-8 bytes.

    pieces   ▁das    ▁Ha     us      <0xF0> <0x9F> <0x98> <0x80>
    spans    (0, 3)  (4, 6)  (6, 8)  (8, 9) four times

A span covers the visible characters of a piece, not its space. The span of a piece that is only a space is
the space; the dummy prefix alone and control pieces have empty spans.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError

SPACE_MARK = "\u2581"

Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Symbol:
    """The text of a vocabulary entry: characters, or a byte, or neither for a control piece."""

    surface: str = ""
    byte: int | None = None


def decode_symbols(symbols: Sequence[Symbol]) -> tuple[str, list[Span]]:
    """The text of `symbols` and the character span of each of them in it."""
    parts: list[str] = []
    spans: list[Span] = []
    position = 0
    index = 0
    num_symbols = len(symbols)
    while index < num_symbols:
        if symbols[index].byte is not None:
            run = _byte_run(symbols, index)
            for character, num_bytes in _characters(run):
                parts.append(character)
                spans.extend([(position, position + 1)] * num_bytes)
                position += 1
            index += len(run)
            continue
        surface = symbols[index].surface
        if not parts and surface.startswith(" "):
            # The dummy prefix; an empty part records that it has been removed.
            surface = surface[1:]
            parts.append("")
        if surface:
            parts.append(surface)
        end = position + len(surface)
        spans.append((position + _leading_spaces(surface) if surface[:1] == " " else position, end))
        position = end
        index += 1
    return "".join(parts), spans


def _leading_spaces(surface: str) -> int:
    visible = surface.lstrip(" ")
    return len(surface) - len(visible) if visible else 0


def _byte_run(symbols: Sequence[Symbol], start: int) -> bytes:
    """The bytes of the unbroken run of byte symbols at `start`."""
    run = bytearray()
    for index in range(start, len(symbols)):
        byte = symbols[index].byte
        if byte is None:
            break
        run.append(byte)
    return bytes(run)


def _characters(run: bytes) -> Iterator[tuple[str, int]]:
    """Each character of `run` and its number of bytes; an invalid byte is one U+FFFD."""
    start = 0
    while start < len(run):
        character, num_bytes = _first_character(run[start : start + 4])
        yield character, num_bytes
        start += num_bytes


def _first_character(run: bytes) -> tuple[str, int]:
    for num_bytes in range(1, len(run) + 1):
        try:
            return run[:num_bytes].decode("utf-8"), num_bytes
        except UnicodeDecodeError:
            continue
    return "\ufffd", 1


def check_unicode(text: str) -> None:
    """Raise an error for lone surrogates, which Python strings may contain but no file can."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise LexalignError(
            f"character {error.start + 1} of the text is half of a surrogate pair; give valid Unicode text"
        ) from error
