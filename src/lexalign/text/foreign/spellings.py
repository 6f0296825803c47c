"""Detokenization of pieces, by the three conventions of marking spaces.

sentencepiece   ▁das ▁Ha us        ▁ is a space
bytes           das ĠHa us         every character encodes a byte, Ġ that of the space
words           das Ha@@ us        a space after every piece that does not end in @@
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from lexalign.text.surface import SPACE_MARK, Span, Symbol, decode_symbols

SpellingName = Literal["sentencepiece", "bytes", "words"]
UNKNOWN = "\u2047"
_CONTINUES = "@@"


def decode_pieces(pieces: Sequence[str | None], spelling: SpellingName) -> tuple[str, list[Span]]:
    """The text, and the character span of each piece; None is a control piece without text."""
    if spelling == "bytes":
        found = _decode_bytes(pieces)
    elif spelling == "words":
        found = _decode_words(pieces)
    else:
        found = decode_symbols([_symbol(piece) for piece in pieces])
    return _trim(*found)


def display_piece(piece: str, spelling: SpellingName) -> str:
    """A piece for display, with U+2581 for a space at its start."""
    if spelling != "bytes":
        return piece
    spelled = _bytes(piece)
    try:
        text = spelled.decode("utf-8")
    except UnicodeDecodeError:  # only a part of a character
        return "".join(f"<0x{byte:02X}>" for byte in spelled)
    return SPACE_MARK + text[1:] if text.startswith(" ") else text


def _symbol(piece: str | None) -> Symbol:
    if piece is None:
        return Symbol()
    if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        return Symbol(byte=int(piece[3:5], 16))
    return Symbol(surface=piece.replace(SPACE_MARK, " "))


def _decode_words(pieces: Sequence[str | None]) -> tuple[str, list[Span]]:
    text, spans = "", []
    for piece in pieces:
        shown = (piece or "").removesuffix(_CONTINUES)
        spans.append((len(text), len(text) + len(shown)))
        text += shown if piece is None or piece.endswith(_CONTINUES) else shown + " "
    return text, spans


def _decode_bytes(pieces: Sequence[str | None]) -> tuple[str, list[Span]]:
    """A character belongs to every piece that has one of its bytes."""
    parts = [b"" if piece is None else _bytes(piece) for piece in pieces]
    text = b"".join(parts).decode("utf-8", errors="replace")
    owners = [index for index, character in enumerate(text) for _ in range(_width(character))]
    spans, position = [], 0
    for part in parts:
        touched = owners[position : position + len(part)]
        start = touched[0] if touched else (owners[position] if position < len(owners) else len(text))
        end = touched[-1] + 1 if touched else start
        spans.append(_strip_leading(text, start, end))
        position += len(part)
    return text, spans


def _width(character: str) -> int:
    # An invalid byte becomes one U+FFFD; nearly always one byte becomes one, as is assumed here.
    return 1 if character == "\ufffd" else len(character.encode("utf-8"))


def _strip_leading(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return (start + len(part) - len(part.lstrip(" ")), end) if part.strip(" ") else (start, end)


def _trim(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    """The text without spaces at its ends, and the spans moved accordingly."""
    trimmed = text.strip(" ")
    if trimmed == text:
        return text, spans
    start, length = len(text) - len(text.lstrip(" ")), len(trimmed)
    return trimmed, [(_clamp(first - start, length), _clamp(last - start, length)) for first, last in spans]


def _clamp(index: int, length: int) -> int:
    return min(max(index, 0), length)


def _bytes(piece: str) -> bytes:
    table = _byte_table()
    return b"".join(bytes([table[c]]) if c in table else c.encode("utf-8") for c in piece)


@lru_cache
def _byte_table() -> dict[str, int]:
    """GPT-2's characters of bytes: printable bytes are themselves, others are from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    moved = [byte for byte in range(256) if byte not in set(printable)]
    table = {chr(byte): byte for byte in printable}
    return table | {chr(0x100 + index): byte for index, byte in enumerate(moved)}
