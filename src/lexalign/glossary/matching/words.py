"""The words in which terms are looked for.

    "The EU-wide rules don't apply to China's e-mail."
     The | EU-wide | rules | don't | apply | to | China | ' | s | e-mail | .

A hyphen holds a compound together, so that "mail" is not found in "e-mail" and "Star" not in
"Hollywood-Star"; an apostrophe sets apart what it elides or adds ("China's", "l'accord"), but for the n't of
English. Scripts without spaces go character by character. White space counts only as being there or not.
"""

import re
import unicodedata
from dataclasses import dataclass

from lexalign.characters import in_word
from lexalign.metrics.words import Word as Piece
from lexalign.metrics.words import split_words

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
    words: list[Word] = []
    for piece in _joined(text, split_words(text)):
        start, end = piece
        glued = bool(words) and words[-1].end == start
        words.append(Word(text[start:end], fold(text[start:end]), start, end, glued))
    return words


def fold(text: str) -> str:
    """The same for spellings that differ in case, in the composition of accents, or in their quotes."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFC", text.casefold())
    return re.sub(f"[{_APOSTROPHES}]", "'", re.sub("[\u2010\u2011]", "-", folded.replace("\u00ad", "")))


def _joined(text: str, pieces: list[Piece]) -> list[tuple[int, int]]:
    """Pieces with those that a hyphen, or the apostrophe of n't, holds together made one."""
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(pieces):
        start, end = pieces[index].start, pieces[index].end
        index += 1
        while index + 1 < len(pieces) and _holds(text, start, end, pieces[index], pieces[index + 1]):
            end = pieces[index + 1].end
            index += 2
        spans.append((start, end))
    return spans


def _holds(text: str, start: int, end: int, mark: Piece, after: Piece) -> bool:
    if mark.start != end or after.start != mark.end or not in_word(text[end - 1]):
        return False
    if mark.form in _HYPHENS:
        return in_word(text[after.start])
    return mark.form in _APOSTROPHES and after.form == "t" and text[start:end].lower().endswith("n")
