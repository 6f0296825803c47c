"""The words that term metrics count, with their character offsets.

Terms are searched as whole words, and translations are not tokenised, so punctuation is split off:

    "Der Hollywood-Star, 25.000 Euro."   Der | Hollywood | - | Star | , | 25.000 | Euro | .

A word is a run of letters, their combining marks (such as the vowel signs of Devanagari) and digits; in
scripts without spaces every character is a word. Text that is already tokenised can be split at its spaces
instead, so that the words are those that were aligned by hand or counted in a paper.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from lexalign.characters import UNSPACED, marks

Splitting = Literal["words", "spaces"]
NUMBER = r"\d+(?:[.,]\d+)+(?!\w)"


@dataclass(frozen=True, slots=True)
class Word:
    form: str  # for comparison
    start: int  # in the text
    end: int


@dataclass(frozen=True, kw_only=True)
class WordOptions:
    """How texts are split into words, and whether case matters in comparisons."""

    splitting: Splitting = "words"
    ignore_case: bool = False

    @property
    def signature(self) -> str:
        return f"case:{'lc' if self.ignore_case else 'mixed'}|words:{self.splitting}"


def split_words(text: str, options: WordOptions | None = None) -> list[Word]:
    return list(find_words(text, options))


def find_words(text: str, options: WordOptions | None = None) -> Iterator[Word]:
    """An iterator over the words, for texts of any length."""
    options = options or WordOptions()
    pattern = _words() if options.splitting == "words" else re.compile(r"\S+")
    for match in pattern.finditer(text):
        yield Word(match[0].lower() if options.ignore_case else match[0], match.start(), match.end())


def forms(words: list[Word]) -> tuple[str, ...]:
    return tuple(word.form for word in words)


def is_punctuation(form: str) -> bool:
    return not form.isalnum() and not any(map(str.isalnum, form))


@cache
def _words() -> re.Pattern[str]:
    return re.compile(word_expression())


@cache
def word_expression() -> str:
    """The regular expression of a word."""
    letter = rf"[^\W{UNSPACED}]"
    run = rf"{letter}+(?:[{marks()}]+{letter}*)*"
    return rf"{NUMBER}|{run}|[{UNSPACED}][{marks()}]*|[^\s][{marks()}]*"
