"""Word segmentation for the matching of terms.

    "The EU-wide rules don't apply to China's e-mail."
     The | EU-wide | rules | don't | apply | to | China | ' | s | e-mail | .

A hyphen holds a compound together, so that "mail" does not match in "e-mail" nor "Star" in "Hollywood-Star";
an apostrophe separates words ("China's", "l'accord"), except in the n't of English. Scripts without spaces
are split into characters. Of white space only its presence counts.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from lexalign.characters import in_word
from lexalign.metrics.words import Word as Piece
from lexalign.metrics.words import find_words

_HYPHENS = "-\u2010\u2011\u00ad"
_APOSTROPHES = "'\u2019\u02bc"


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    key: str  # for comparison: without case, accents and quotes normalized
    start: int
    end: int
    attached: bool  # to the word before it, without white space


def split(text: str) -> list[Word]:
    return list(read_words(text))


def read_words(text: str) -> Iterator[Word]:
    """The words of a text, one after the other."""
    last = -1
    for start, end in _joined(text, find_words(text)):
        yield Word(text[start:end], fold(text[start:end]), start, end, last == start)
        last = end


def fold(text: str) -> str:
    """Normalize case, the composition of accents, hyphens and apostrophes."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFC", text.casefold())
    return re.sub(f"[{_APOSTROPHES}]", "'", re.sub("[\u2010\u2011]", "-", folded.replace("\u00ad", "")))


def _joined(text: str, pieces: Iterator[Piece]) -> Iterator[tuple[int, int]]:
    """The spans of words; pieces around a hyphen, or around the apostrophe of n't, are joined."""
    ahead: deque[Piece] = deque()  # a hyphen or apostrophe, and the piece after it

    def look(distance: int) -> Piece | None:
        while len(ahead) <= distance and (piece := next(pieces, None)) is not None:
            ahead.append(piece)
        return ahead[distance] if len(ahead) > distance else None

    while look(0) is not None:
        piece = ahead.popleft()
        start, end = piece.start, piece.end
        while (mark := look(0)) and (after := look(1)) and _joins(text, end, mark, after):
            end = after.end
            ahead.clear()
        yield start, end


def _joins(text: str, end: int, mark: Piece, after: Piece) -> bool:
    if mark.start != end or after.start != mark.end or not in_word(text[end - 1]):
        return False
    if mark.form in _HYPHENS:
        return in_word(text[after.start])
    return mark.form in _APOSTROPHES and after.form == "t" and text[end - 1] in "nN"
