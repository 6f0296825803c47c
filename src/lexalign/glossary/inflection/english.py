"""Regular forms of English terms.

house         houses                                   the plural of the last word
to give up    give up, gives up, gave up, given up ...  a verb, which a dictionary writes with "to"

Irregular plurals must be listed in the glossary; a dictionary removes forms that do not exist.
"""

_VOWELS = "aeiou"
_IRREGULAR = """
bear bore borne, beat beat beaten, become became become, begin began begun beginning, bind bound bound,
break broke broken, bring brought brought, build built built, buy bought bought, catch caught caught,
choose chose chosen, come came come, cut cut cut cutting, deal dealt dealt, do does did done, draw drew
drawn, drive drove driven, fall fell fallen, feed fed fed, feel felt felt, fight fought fought, find found
found, forbid forbade forbidden forbidding, forget forgot forgotten forgetting, get got got getting, give
gave given, go goes went gone, grow grew grown, hear heard heard, hide hid hidden, hold held held, keep
kept kept, know knew known, lay laid laid, lead led led, leave left left, lend lent lent, let let let
letting, lose lost lost, make made made, mean meant meant, meet met met, offset offset offset offsetting,
overcome overcame overcome, override overrode overridden, pay paid paid, prove proved proven, put put put
putting, read read read, reset reset reset resetting, ride rode ridden, rise rose risen, run ran run
running, say said said, see saw seen, seek sought sought, sell sold sold, send sent sent, set set set
setting, show showed shown, shut shut shut shutting, sit sat sat sitting, speak spoke spoken, spend spent
spent, split split split splitting, stand stood stood, steal stole stolen, swear swore sworn, take took
taken, teach taught taught, tell told told, think thought thought, throw threw thrown, understand
understood understood, undo undoes undid undone, upset upset upset upsetting, wear wore worn, win won won
winning, withdraw withdrew withdrawn, write wrote written
"""
_PAST = {verb: tuple(past) for verb, *past in (line.split() for line in _IRREGULAR.split(","))}


def forms(term: str) -> tuple[str, ...]:
    if term.startswith("to ") and len(term) > 3:
        verb, _, rest = term[3:].partition(" ")
        return tuple(f"{form} {rest}".rstrip() for form in (verb, *verb_forms(verb)))
    before, space, noun = term.rpartition(" ")
    return (f"{before}{space}{plural(noun)}",) if _is_word(noun) else ()


def needed_forms(term: str) -> tuple[str, ...]:
    """The forms of a verb: "to save" in a dictionary is mostly "save", "saves" or "saved" in a text."""
    return forms(term) if term.startswith("to ") else ()


def inflected_index(term: str) -> int:
    """The index of the word that is inflected."""
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
    """Third person, past, participles: accepts, accepted, accepting; writes, wrote, written, writing."""
    if not _is_word(verb):
        return ()
    if verb in _PAST:
        third, _, participle = _regular_forms(verb)
        return tuple(dict.fromkeys((third, *_PAST[verb], participle)))
    return _regular_forms(verb)


def _regular_forms(verb: str) -> tuple[str, str, str]:
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return plural(verb), verb + "d", verb[:-1] + "ing"
    if verb.endswith("ee"):
        return plural(verb), verb + "d", verb + "ing"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return plural(verb), verb[:-1] + "ied", verb + "ing"
    doubled = verb + verb[-1] if _doubles_consonant(verb) else verb
    return plural(verb), doubled + "ed", doubled + "ing"


def _doubles_consonant(verb: str) -> bool:
    """Whether it is one syllable that ends in consonant, vowel, consonant: stop, stopped."""
    return (
        len(verb) > 2
        and sum(letter in _VOWELS for letter in verb) == 1
        and verb[-2] in _VOWELS
        and verb[-1] not in _VOWELS + "wxy"
    )


def _is_word(word: str) -> bool:
    return len(word) > 1 and word[-1].isalpha()
