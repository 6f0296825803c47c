"""Terms as parts of compounds, in languages that write these as one word.

    Daten        -daten, -Daten         at the end of one: Referenzdaten, EU-Daten
    Sicherheit   Sicherheit-, Sicherheits-     at the beginning: Sicherheitsrat

In German a noun loses its capital inside of a word, and keeps it behind a hyphen, a bracket or a quotation
mark. Short words stand inside of too many that have nothing to do with them ("Rat" in "Apparat"), and terms
of several words make no compounds. By default compounds are
allowed where they have been measured to pay, in German.
"""

from collections.abc import Sequence

from lexalign.text.languages import primary

LANGUAGES = ("de", "nl", "sv", "da", "nb", "nn", "no")
COMPOUNDS_BY_DEFAULT = ("de",)  # languages in which an entry without a rule allows them
MIN_LETTERS = 4
_LINKED = ("ung", "heit", "keit", "schaft", "ion", "tät", "tum", "ling", "arbeit", "verkehr", "handel")


def compound_parts(targets: Sequence[str], language: str) -> tuple[str, ...]:
    """What may stand within a longer word instead of the targets."""
    if primary(language) not in LANGUAGES:
        return ()
    words = [word for word in targets if word.isalpha() and len(word) >= MIN_LETTERS and not word.isupper()]
    if primary(language) == "de":
        words = [word for word in words if word[0].isupper()]
    heads = [f"-{first}{word[1:]}" for word in words for first in dict.fromkeys((word[0].lower(), word[0]))]
    # "Staats-" and "Staaten-" begin compounds, "Staates-" does not.
    first = [
        word for word in words if word.removesuffix("es") == word or word.removesuffix("es") not in words
    ]
    firsts = [f"{word}-" for word in first] + [f"{word}s-" for word in first if word.endswith(_LINKED)]
    return tuple(dict.fromkeys([*heads, *firsts]))
