"""Word segmentation for the matching of terms.

    "The EU-wide rules don't apply to China's e-mail."
     The | EU-wide | rules | don't | apply | to | China | ' | s | e-mail | .

A hyphen holds a compound together, so that "mail" does not match in "e-mail" nor "Star" in "Hollywood-Star";
an apostrophe separates words ("China's", "l'accord"), except in the n't of English. Scripts without spaces
are split into characters. Of white space only its presence counts.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from lexalign.characters import UNSPACED, marks
from lexalign.metrics.words import NUMBER, word_expression

_HYPHENS = "-\u2010\u2011\u00ad"
_APOSTROPHES = "'\u2019\u02bc"
_BEYOND_LATIN = re.compile("[\u0300-\U0010ffff]")  # from the first combining mark on
_MAX_CACHED = 40  # characters


class Word(NamedTuple):
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
    for match in _pattern(text).finditer(text):
        word, (start, end) = match[0], match.span()
        yield Word(word, word.lower() if word.isascii() else fold(word), start, end, last == start)
        last = end


def split_spaced(text: str) -> list[str]:
    """The words of a text of single spaces, each with the space before it: joined, they are the text."""
    return (_SPACED if text.isascii() or not _BEYOND_LATIN.search(text) else _general_spaced()).findall(text)


def fold(text: str) -> str:
    """Normalize case, the composition of accents, hyphens and apostrophes."""
    if text.isascii():
        return text.lower()
    return _fold_word(text) if len(text) <= _MAX_CACHED else _fold(text)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFC", text.casefold())
    return re.sub(f"[{_APOSTROPHES}]", "'", re.sub("[\u2010\u2011]", "-", folded.replace("\u00ad", "")))


_fold_word = lru_cache(1 << 15)(_fold)


def _pattern(text: str) -> re.Pattern[str]:
    """Texts of Latin letters have no combining marks: a simpler expression finds the same words sooner."""
    return _PLAIN if text.isascii() or not _BEYOND_LATIN.search(text) else _general()


def _joined(piece: str, after_word: str, letter: str) -> re.Pattern[str]:
    """Pieces around a hyphen, or around the apostrophe of n't, are one word."""
    hyphen = rf"[{_HYPHENS}]{after_word}(?=[^\W_])(?:{piece})"
    contraction = rf"[{_APOSTROPHES}](?<=[nN].)t(?!{letter})"
    return re.compile(rf"(?:{piece})(?:{hyphen}|{contraction})*")


_PLAIN = _joined(rf"{NUMBER}|\w+|\S", r"(?<=[^\W_].)", r"\w")
_SPACED = re.compile(f" ?{_PLAIN.pattern}")


@cache
def _general() -> re.Pattern[str]:
    """The words of `metrics.words` as pieces, in all scripts."""
    after_word = rf"(?:(?<=[^\W_].)|(?<=[{marks()}].))"
    return _joined(word_expression(), after_word, rf"(?:[^\W{UNSPACED}]|[{marks()}])")


@cache
def _general_spaced() -> re.Pattern[str]:
    return re.compile(f" ?{_general().pattern}")
