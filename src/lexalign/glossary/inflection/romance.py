"""Plurals of French and Portuguese terms whose words a dictionary knows.

droit fondamental         droits fondamentaux         adjectives agree with their noun
règlement de la Cour      règlements de la Cour       what follows a preposition stays as it is

Verbs have too many forms to be alternatives of one constraint; they are for the glossary to list.
"""

import re
from collections.abc import Iterator, Sequence

from lexalign.glossary.inflection.dictionary import Dictionary

_Endings = Sequence[tuple[str, str]]  # of singular and plural; the first that fits counts
_FRENCH: _Endings = (
    ("eau", "eaux"), ("eu", "eux"), ("al", "aux"), ("al", "als"), ("ail", "ails"), ("ou", "ous"), ("", "s"),
)  # fmt: skip
_PORTUGUESE: _Endings = (
    ("ão", "ões"), ("ão", "ãos"), ("ão", "ães"), ("al", "ais"), ("el", "éis"), ("ol", "óis"), ("ul", "uis"),
    ("il", "is"), ("il", "eis"), ("m", "ns"), ("r", "res"), ("z", "zes"), ("", "s"),
)  # fmt: skip
_PREPOSITIONS = re.compile(
    r"(?:de|du|des|d'.*|d’.*|à|au|aux|en|sur|pour|par|sans|avec|entre|da|do|das|dos|e|em|para|por|com|sem|et)"
)


def french_forms(term: str, dictionary: Dictionary, *, verb: bool) -> Iterator[str]:
    return iter(()) if verb else _plurals(term, dictionary, _FRENCH)


def portuguese_forms(term: str, dictionary: Dictionary, *, verb: bool) -> Iterator[str]:
    return iter(()) if verb else _plurals(term, dictionary, _PORTUGUESE)


def _plurals(term: str, dictionary: Dictionary, endings: _Endings) -> Iterator[str]:
    """The plural of the noun and of all words before the first preposition; nothing if one has none."""
    words = term.split(" ")
    if any(letter.isupper() for letter in words[0]) or dictionary.is_form(words[0]):
        return
    head = next((index for index, word in enumerate(words) if _PREPOSITIONS.fullmatch(word)), len(words))
    found = [_plural(word, dictionary, endings) for word in words[:head]]
    if found and all(found):
        yield " ".join([*(word or "" for word in found), *words[head:]])


def _plural(word: str, dictionary: Dictionary, endings: _Endings) -> str | None:
    if not word.isalpha() or not word.islower():
        return None
    if word[-1] in "sxz" and endings is _FRENCH:
        return word if dictionary.knows(word) else None
    made = (word.removesuffix(one) + many for one, many in endings if word.endswith(one))
    return next((form for form in made if dictionary.has_form(form, word)), None)
