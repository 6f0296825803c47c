"""Regular forms of English terms.

house         houses                                   the plural of the last word
to give up    give up, gives up, gived up, giving up   a verb, which a dictionary writes with "to"

Irregular forms are for the glossary to list, and those that are none ("gived") for a dictionary to strike.
"""

_VOWELS = "aeiou"


def forms(term: str) -> tuple[str, ...]:
    if term.startswith("to ") and len(term) > 3:
        verb, _, rest = term[3:].partition(" ")
        return tuple(f"{form} {rest}".rstrip() for form in (verb, *verb_forms(verb)))
    before, space, noun = term.rpartition(" ")
    return (f"{before}{space}{plural(noun)}",) if _is_word(noun) else ()


def inflected_word(term: str) -> int:
    """Which of a form's words is the one that was inflected."""
    return 0 if term.startswith("to ") else -1


def plural(noun: str) -> str:
    if noun.isupper():
        return noun + "s"  # PCs
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1].lower() not in _VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"


def verb_forms(verb: str) -> tuple[str, ...]:
    """Third person, past, participle: accepts, accepted, accepting."""
    if not _is_word(verb):
        return ()
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return plural(verb), verb + "d", verb[:-1] + "ing"
    if verb.endswith("ee"):
        return plural(verb), verb + "d", verb + "ing"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return plural(verb), verb[:-1] + "ied", verb + "ing"
    doubled = verb + verb[-1] if _doubles(verb) else verb
    return plural(verb), doubled + "ed", doubled + "ing"


def _doubles(verb: str) -> bool:
    """One syllable that ends in consonant, vowel, consonant: stop, stopped."""
    return (
        len(verb) > 2
        and sum(letter in _VOWELS for letter in verb) == 1
        and verb[-2] in _VOWELS
        and verb[-1] not in _VOWELS + "wxy"
    )


def _is_word(word: str) -> bool:
    return len(word) > 1 and word[-1].isalpha()
