"""Pairs that teach something wrong: unlike in length, untranslated, in another language, or in old German.

The earlier half of Europarl was written before the spelling reform of 1996.
"""

import re
from collections.abc import Iterable, Iterator

from lexalign.text.detection import detect

Pair = tuple[str, str]

_MOST_CHARACTERS = 1_200
_RATIO = 2.4
_FLOOR = 20  # characters that are added to both sides; among short ones a ratio means nothing
_LETTERS = re.compile(r"[^\W\d_]{2}")
_COPIED_WORDS = 3  # of a name, which may be the same in both languages
_ENOUGH_TO_TELL = range(50, 200)  # characters; the first ones of a longer text tell as much
# An ß behind a short vowel, which is ss today; behind a long one it stays (groß, Maß, heißen).
_STEMS = (
    r"[Dd]a(?=ß\b)|[Mm][uü](?=ß)|[Ww][uü](?=ßt)|[Ll][äa](?=ßt)|[Ll]ä(?=ßlich)|wu(?=ßt)|[Gg]ewi(?=ß)|[Aa]nla(?=ß)"
    r"|[Ee]rla(?=ß\b)|[Nn]achla(?=ß\b)|[Ss]chlu(?=ß)|[Ss]chu(?=ß\b)|[Ss]chu(?=ßes\b)|[Pp]roze(?=ß)|[Kk]ongre(?=ß)"
    r"|[Kk]ompromi(?=ß)|[Ff]lu(?=ß)|[Ff]a(?=ßt)|[Pp]a(?=ßt)|\b[Pp]a(?=ß)|[Hh]a(?=ß\b)"
    r"|[Hh]ä(?=ßlich)|[Mm]i(?=ß[abhkltv])|[Gg]emi(?=ßt)|[Mm]i(?=ßt)|[Vv]ergi(?=ß)|\b[Ii](?=ßt\b)|[Rr]u(?=ßland)"
    r"|[Rr]i(?=ß\b)|[Bb]i(?=ßchen)|[Ss]tre(?=ß)|[Nn]a(?=ß\b)|[Bb]la(?=ß\b)|[Mm]e(?=ßbar)|[Bb]eeinflu(?=ß)"
    r"|[Pp]rä(?=ß)|[Ee]ntschlo(?=ß)|[Ss]chlo(?=ß\b)|[Gg]enu(?=ß)|[Ee]inla(?=ß\b)|[Uu]ngewi(?=ß)"
)
_OLD_SPELLING = re.compile(rf"({_STEMS})ß")


def clean(pairs: Iterable[Pair], languages: tuple[str, str]) -> Iterator[Pair]:
    """Keep the pairs that look like translations of each other, with single spaces."""
    for source, target in pairs:
        pair = " ".join(source.split()), " ".join(target.split())
        if is_translation(pair, languages):
            yield pair


def is_translation(pair: Pair, languages: tuple[str, str]) -> bool:
    source, target = pair
    shorter, longer = sorted(map(len, pair))
    if shorter == 0 or longer > _MOST_CHARACTERS or longer + _FLOOR > _RATIO * (shorter + _FLOOR):
        return False
    if not (_LETTERS.search(source) and _LETTERS.search(target)):
        return False
    if source == target:
        return source.count(" ") < _COPIED_WORDS
    return _reads_like(source, languages, 0) and _reads_like(target, languages, 1)


def _reads_like(text: str, languages: tuple[str, str], side: int) -> bool:
    """Whether a text is not clearly in another language; names and code are in none."""
    if len(text) < _ENOUGH_TO_TELL.start:
        return True
    return detect(text[: _ENOUGH_TO_TELL.stop], languages).language in (languages[side], None)


def modern_spelling(text: str) -> str:
    """daß → dass, Ausschuß → Ausschuss, läßt → lässt"""
    return _OLD_SPELLING.sub(r"\1ss", text) if "ß" in text else text
