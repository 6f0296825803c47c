"""Classes of characters: letters, combining marks, and scripts that are written without spaces."""

import re
import unicodedata
from functools import cache

# Thai, Lao, Myanmar, Khmer; kana, Han and its extensions, half-width kana. The inside of a character class.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_IS_UNSPACED = re.compile(f"[{UNSPACED}]")
_JOINERS = ("\u200c", "\u200d")


def in_word(character: str) -> bool:
    """Whether a character is a letter, a digit, or a combining mark, such as a vowel sign of Devanagari."""
    return character.isalnum() or is_mark(character)


def is_mark(character: str) -> bool:
    """Whether a character is a combining mark, or a zero-width joiner or non-joiner."""
    return character in _JOINERS or unicodedata.category(character)[0] == "M"


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces."""
    return _IS_UNSPACED.match(character) is not None


def continues_word(text: str) -> bool:
    """Whether a text continues a word before it; in scripts without spaces every character is a word."""
    return bool(text) and in_word(text[0]) and not is_unspaced(text[0])


def mostly_unspaced(text: str) -> bool:
    """Whether most of a text is written without spaces."""
    return 2 * len(_IS_UNSPACED.findall(text)) > sum(map(str.isalnum, text))


@cache
def marks() -> str:
    """All combining marks, as the inside of a character class: Python's \\w does not match them."""
    found = [code for code in (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)) if is_mark(chr(code))]
    ranges: list[tuple[int, int]] = []
    for code in found:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
