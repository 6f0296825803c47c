"""Words and symbols with characters that the model cannot read: it would make other ones of them.

Sie traf Łukasz in 東京, um ±0,5 % zu klären.       Łukasz, 東京 foreign; ± symbol (Ł, 東, 京, ± are unknown)

A word is kept if it is a name, a quantity or foreign altogether: if it has a capital or a digit, or if none
of its letters is known. An ordinary word with one odd letter is left to the model, and so is every word with
a letter that ordinary words of the text have: "oraşul" and "Şi", where a model has only ș.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from lexalign.characters import is_mark, is_unspaced
from lexalign.markup.protection.spans import Untranslatable

# With signs of powers and degrees: 10⁻⁶, °C.
_WORD = re.compile(r"[^\W_](?:[^\W_]|[⁺⁻₊₋°])*+|[⁺⁻₊₋°](?:[^\W_]|[⁺⁻₊₋°])++")
_SIGNS = "‰‱"
Unknown = Callable[[str], frozenset[str]]


def find_foreign(text: str, unknown: Unknown) -> list[Untranslatable]:
    """In the order of the text; foreign words side by side are one."""
    strange = unknown(text)
    if not strange or strange.isdisjoint(text):
        return []
    found: list[Untranslatable] = []
    for one in sorted([*_words(text, strange), *_symbols(text, strange)], key=lambda one: one.start):
        last = found[-1] if found else None
        if last and last.kind == one.kind == "foreign" and text[last.end : one.start] == " ":
            found[-1] = Untranslatable(start=last.start, end=one.end, kind="foreign")
        elif last is None or one.start >= last.end:
            found.append(one)
    return found


def _words(text: str, strange: frozenset[str]) -> Iterator[Untranslatable]:
    if any(is_unspaced(one) and one not in strange for one in set(text)):
        # The model reads this script, though not all of it: what is rare in it is no foreign word.
        strange = frozenset(one for one in strange if not is_unspaced(one))
    words = [match for match in _WORD.finditer(text) if not strange.isdisjoint(match[0])]
    ordinary = {one for match in words if not _stands_out(match[0], strange) for one in match[0].casefold()}
    foreign = frozenset(one for one in strange if one.casefold() not in ordinary)
    for match in words:
        if _stands_out(match[0], foreign):
            yield Untranslatable(start=match.start(), end=match.end(), kind="foreign")


def _stands_out(word: str, strange: frozenset[str]) -> bool:
    """Whether a word with an unknown character is a name, a quantity, or foreign altogether."""
    if strange.isdisjoint(word):
        return False
    if word[0].isupper() or any(map(str.isnumeric, word)) or "°" in word:
        return True
    return all(one in strange for one in word if one.isalpha() and not is_mark(one))


def _symbols(text: str, strange: frozenset[str]) -> Iterator[Untranslatable]:
    symbols = frozenset(one for one in strange if _is_symbol(one))
    for start, one in enumerate(text) if symbols else ():
        if one in symbols:
            yield Untranslatable(start=start, end=start + 1, kind="symbol")


def _is_symbol(character: str) -> bool:
    return unicodedata.category(character) in ("Sm", "Sc", "So", "Co") or character in _SIGNS
