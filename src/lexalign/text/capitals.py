"""Text in capitals: models have seen little of it, and mostly lose what it says.

    ACHTUNG: {x} NICHT ÖFFNEN!      is read as      Achtung: {x} nicht öffnen!

Its translation is put into capitals again. Both keep the length of a text, character by character.
"""

from collections.abc import Sequence

from lexalign.contracts.alignment import Span
from lexalign.text.span_set import blanked

_LEAST_LETTERS = 4  # of some word; a word alone may be an abbreviation, and has more
_LEAST_ALONE = 6


def without_capitals(text: str, kept: Sequence[Span] = ()) -> str | None:
    """A text in small letters, but for its first one; None where it is not in capitals as a whole.

    Spans that are `kept`, which are in order, are neither looked at nor changed.
    """
    shown = blanked(text, kept, " ")
    words = ["".join(filter(str.isalpha, word)) for word in shown.split()]
    words = [word for word in words if word]
    longest = max(map(len, words), default=0)
    if longest < (_LEAST_LETTERS if len(words) > 1 else _LEAST_ALONE):
        return None
    if not all(word.isupper() for word in words):
        return None
    changed = list(text)
    first = next(index for index, one in enumerate(shown) if one.isalpha())
    for index, one in enumerate(shown):
        if one.isalpha() and index != first and len(one.lower()) == 1:
            changed[index] = one.lower()
    return "".join(changed)


def in_capitals(text: str, kept: Sequence[Span] = ()) -> str:
    """A text in capitals, outside of the spans that are `kept`, which are in order."""
    shown = blanked(text, kept, " ")
    return "".join(_capital(one) if one == other else one for one, other in zip(text, shown, strict=True))


def _capital(character: str) -> str:
    if character == "ß":
        return "ẞ"
    upper = character.upper()
    return upper if len(upper) == 1 else character
