"""The words that term metrics count, and where they stand in a text.

A term is looked for as whole words, and translations are not tokenised, so punctuation is split off:

    "Der Hollywood-Star, 25.000 Euro."   Der | Hollywood | - | Star | , | 25.000 | Euro | .

Letters, the marks on them (the vowel signs of Devanagari are marks) and digits hold together; scripts that
are written without spaces are taken character by character. Text that is already tokenised is split at its
spaces instead, so that the words are those that were aligned by hand or counted in a paper.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

Splitting = Literal["words", "spaces"]

# Thai, Lao, Myanmar, Khmer; kana, Han and its extensions, half-width kana.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)


@dataclass(frozen=True, slots=True)
class Word:
    form: str  # by which it is compared
    start: int  # in the text
    end: int


@dataclass(frozen=True, kw_only=True)
class WordOptions:
    """How texts become words: split by `splitting`, compared with or without their case."""

    splitting: Splitting = "words"
    ignore_case: bool = False

    @property
    def signature(self) -> str:
        return f"case:{'lc' if self.ignore_case else 'mixed'}|words:{self.splitting}"


def split_words(text: str, options: WordOptions | None = None) -> list[Word]:
    options = options or WordOptions()
    pattern = _words() if options.splitting == "words" else re.compile(r"\S+")
    return [
        Word(match[0].lower() if options.ignore_case else match[0], match.start(), match.end())
        for match in pattern.finditer(text)
    ]


def forms(words: list[Word]) -> tuple[str, ...]:
    return tuple(word.form for word in words)


def is_punctuation(form: str) -> bool:
    return not any(character.isalnum() for character in form)


@cache
def _words() -> re.Pattern[str]:
    """Python's \\w leaves out the marks of scripts that write vowels as marks."""
    marks = _marks()
    letter = rf"[^\W{_UNSPACED}]"
    run = rf"{letter}(?:{letter}|[{marks}])*"
    number = r"\d+(?:[.,]\d+)+(?!\w)"
    return re.compile(rf"{number}|{run}|[{_UNSPACED}][{marks}]*|[^\s][{marks}]*")


def _marks() -> str:
    """All combining marks of Unicode, and the joiners that words hold, as ranges of a character class."""
    found = [
        code
        for code in (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0))
        if code in (0x200C, 0x200D) or unicodedata.category(chr(code))[0] == "M"
    ]
    ranges: list[tuple[int, int]] = []
    for code in found:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
