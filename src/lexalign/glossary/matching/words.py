"""The words in which terms are looked for.

    "The EU-wide rules don't apply to China's e-mail."
     The | EU-wide | rules | don't | apply | to | China | ' | s | e-mail | .

A hyphen holds a compound together, so that "mail" is not found in "e-mail" and "Star" not in
"Hollywood-Star"; an apostrophe sets apart what it elides or adds ("China's", "l'accord"), but for the n't of
English. Scripts without spaces go character by character. White space counts only as being there or not.
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
    key: str  # by which it is compared: no case, one spelling of accents and marks
    start: int
    end: int
    glued: bool  # to the word before it, without white space between them


def split(text: str) -> list[Word]:
    return list(read_words(text))


def read_words(text: str) -> Iterator[Word]:
    """The words one after the other, of a text however long."""
    last = -1
    for start, end in _joined(text, find_words(text)):
        yield Word(text[start:end], fold(text[start:end]), start, end, last == start)
        last = end


def fold(text: str) -> str:
    """The same for spellings that differ in case, in the composition of accents, or in their quotes."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFC", text.casefold())
    return re.sub(f"[{_APOSTROPHES}]", "'", re.sub("[\u2010\u2011]", "-", folded.replace("\u00ad", "")))


def _joined(text: str, pieces: Iterator[Piece]) -> Iterator[tuple[int, int]]:
    """Pieces with those that a hyphen, or the apostrophe of n't, holds together made one."""
    ahead: deque[Piece] = deque()  # a mark, and what comes after it

    def look(distance: int) -> Piece | None:
        while len(ahead) <= distance and (piece := next(pieces, None)) is not None:
            ahead.append(piece)
        return ahead[distance] if len(ahead) > distance else None

    while look(0) is not None:
        piece = ahead.popleft()
        start, end = piece.start, piece.end
        while (mark := look(0)) and (after := look(1)) and _holds(text, end, mark, after):
            end = after.end
            ahead.clear()
        yield start, end


def _holds(text: str, end: int, mark: Piece, after: Piece) -> bool:
    if mark.start != end or after.start != mark.end or not in_word(text[end - 1]):
        return False
    if mark.form in _HYPHENS:
        return in_word(text[after.start])
    return mark.form in _APOSTROPHES and after.form == "t" and text[end - 1] in "nN"
