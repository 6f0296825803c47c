"""Which language a text is in: naive Bayes over letters, exact enough for a short sentence.

Words are lower-cased and set in boundaries; every three and four letters in a row count:

    "Die Ziege."     _di die ie_ _zi zie ieg ege ge_ _die die_ _zie zieg iege ege_

`languages.tsv` has the probability of the frequent ones in each language; rare ones tell nothing, and are
left out. `experiments/language_profiles.py` makes it from text.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

PROFILES = Path(__file__).parent / "languages.tsv"
# Longer texts say no more; the first pages are enough.
_MOST_CHARACTERS = 20_000
# In hundredths of a nat: a few words of any language could be of another, which nobody has asked for.
_DOUBT = 1_000
_WORD = re.compile(r"[^\W\d_]+")


def guess_language(text: str, languages: Collection[str]) -> str | None:
    """The most probable language, of these or, where the text is clearly in none of them, of all known.

    None where the text tells nothing, or one of the languages is not known.
    """
    known, profiles = read_profiles(PROFILES)
    found = [row for gram in letter_grams(text[:_MOST_CHARACTERS]) if (row := profiles.get(gram))]
    if not found or not set(languages) <= set(known):
        return None
    scores = [sum(column) for column in zip(*found, strict=True)]
    fair = [score - (0 if known[place] in languages else _DOUBT) for place, score in enumerate(scores)]
    return known[fair.index(max(fair))]


def letter_grams(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        bounded = f"_{word}_"
        for size in (3, 4):
            yield from (bounded[start : start + size] for start in range(len(bounded) - size + 1))


@cache
def read_profiles(path: Path) -> tuple[list[str], dict[str, tuple[int, ...]]]:
    """The languages, and of every gram its log-probability in each, in hundredths of a nat."""
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    profiles = {}
    for row in rows:
        gram, *values = row.split("\t")
        profiles[gram] = tuple(map(int, values))
    return header.split("\t")[1:], profiles
