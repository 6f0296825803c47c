"""Emoji and other symbols, as a part of a regular expression."""

import unicodedata

# Signs that belong to a number or a name, and that models know: 20 °C, № 5.
_ORDINARY = frozenset("°№℃℉")
# Bullets and daggers, which Unicode counts as punctuation.
_MARKS = "\u2022\u2023\u2043\u2020\u2021"


def _is_symbol(character: str) -> bool:
    category = unicodedata.category(character)
    if character.isascii() or character in _ORDINARY:
        return False
    return category in ("So", "Co") or (category == "Sm" and character not in "¬±×÷") or character in _MARKS


def _ranges(codes: range) -> str:
    """The inside of a character class that holds the symbols among some characters."""
    found: list[list[int]] = []
    for code in codes:
        if not _is_symbol(chr(code)):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in found)


_ONE = f"[{_ranges(range(0xA0, 0xD800))}\ue000-\uf8ff{_ranges(range(0xF900, 0x20000))}]"
_MODIFIER = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
# One symbol, with what changes its colour or joins it to the next; or a digit in a box.
SYMBOLS = rf"{_ONE}{_MODIFIER}*+(?:\u200d{_ONE}{_MODIFIER}*+)*+|[0-9\#*]\ufe0f?\u20e3"
