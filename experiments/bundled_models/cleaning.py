"""Pairs that teach something wrong: unlike in length, left untranslated, or in another language."""

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


def clean(pairs: Iterable[Pair], languages: tuple[str, str]) -> Iterator[Pair]:
    """The pairs that look like translations of each other, spaces made single."""
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
    """Whether it is not clearly in another language; names and code are in none."""
    if len(text) < _ENOUGH_TO_TELL.start:
        return True
    return detect(text[: _ENOUGH_TO_TELL.stop], languages).language in (languages[side], None)
