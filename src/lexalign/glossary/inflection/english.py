"""Forms of English terms: plurals, and the forms of verbs.

house               houses                                     a noun; irregular ones too: criterion, criteria
right to property   rights to property                         the noun before a preposition changes
to give up          give up, gives up, gave up, given up ...   a verb, with "to" or by its source
European Union      -                                          a word with a capital is part of a name

A dictionary decides where the rules do not: "submit" doubles its last letter, "edit" does not.
"""

from collections.abc import Iterator

from lexalign.glossary.inflection.dictionary import Dictionary

_VOWELS = "aeiou"
_PREPOSITIONS = frozenset("of to for in on at with by from against under between per".split())  # noqa: SIM905
_UNCOUNTABLE = frozenset(
    """access advice content data equipment evidence feedback furniture hardware homework information
    knowledge legislation luggage machinery money music news progress research software staff traffic
    transport weather work aircraft deer fish means offspring series sheep species""".split()  # noqa: SIM905
)
_PLURALS = """
    analysis analyses, appendix appendices, axis axes, bacterium bacteria, basis bases,
    calf calves, child children, crisis crises, criterion criteria, curriculum curricula, datum data,
    diagnosis diagnoses, echo echoes, elf elves, embargo embargoes, emphasis emphases, foot feet, goose geese,
    half halves, hero heroes, hypothesis hypotheses, index indices, knife knives, leaf leaves, life lives,
    loaf loaves, man men, matrix matrices, medium media, metastasis metastases, mouse mice,
    neurosis neuroses, nucleus nuclei, ox oxen, parenthesis parentheses, person people, phenomenon phenomena,
    potato potatoes, prognosis prognoses, prosthesis prostheses, psychosis psychoses, quiz quizzes,
    scarf scarves, self selves, shelf shelves, stenosis stenoses, stimulus stimuli, synthesis syntheses,
    thesis theses, thief thieves, tomato tomatoes, tooth teeth, vertebra vertebrae, vertex vertices,
    veto vetoes, wife wives, wolf wolves, woman women
"""
_IRREGULAR_PLURALS: dict[str, str] = dict(map(str.split, _PLURALS.split(",")))
_ALSO_REGULAR = frozenset(("appendix", "index", "scarf", "vertebra"))
_IRREGULAR_VERBS = """
arise arose arisen, bear bore borne, beat beat beaten, become became become, begin began begun beginning,
bend bent bent, bet bet bet betting, bid bid bid bidding, bind bound bound, bite bit bitten, bleed bled bled,
blow blew blown, break broke broken, breed bred bred, bring brought brought, broadcast broadcast broadcast,
build built built, burst burst burst, buy bought bought, cast cast cast, catch caught caught, choose chose
chosen, come came come, cost cost cost, cut cut cut cutting, deal dealt dealt, dig dug dug digging, do does
did done, draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed
fed, feel felt felt, fight fought fought, find found found, fly flew flown, forbid forbade forbidden
forbidding, foresee foresaw foreseen, forget forgot forgotten forgetting, forgive forgave forgiven, freeze
froze frozen, get got got getting, give gave given, go goes went gone, grind ground ground, grow grew grown,
hang hung hung, hear heard heard, hide hid hidden, hit hit hit hitting, hold held held, hurt hurt hurt, keep
kept kept, know knew known, lay laid laid, lead led led, leave left left, lend lent lent, let let let
letting, light lit lit, lose lost lost, make made made, mean meant meant, meet met met, mislead misled
misled, offset offset offset offsetting, overcome overcame overcome, override overrode overridden, oversee
oversaw overseen, pay paid paid, prove proved proven, put put put putting, quit quit quit quitting, read read
read, rebuild rebuilt rebuilt, repay repaid repaid, reset reset reset resetting, rewrite rewrote rewritten,
ride rode ridden, ring rang rung, rise rose risen, run ran run running, say said said, see saw seen, seek
sought sought, sell sold sold, send sent sent, set set set setting, shake shook shaken, shed shed shed
shedding, shoot shot shot, show showed shown, shrink shrank shrunk, shut shut shut shutting, sing sang sung,
sink sank sunk, sit sat sat sitting, sleep slept slept, slide slid slid, speak spoke spoken, spend spent
spent, spin spun spun spinning, split split split splitting, spread spread spread, stand stood stood, steal
stole stolen, stick stuck stuck, strike struck struck, strive strove striven, swear swore sworn, sweep swept
swept, swim swam swum swimming, take took taken, teach taught taught, tear tore torn, tell told told, think
thought thought, throw threw thrown, undergo undergoes underwent undergone, understand understood understood,
undertake undertook undertaken, undo undoes undid undone, uphold upheld upheld, upset upset upset upsetting,
wake woke woken, wear wore worn, win won won winning, withdraw withdrew withdrawn, withhold withheld
withheld, withstand withstood withstood, write wrote written
"""
_PAST = {verb: tuple(past) for verb, *past in (line.split() for line in _IRREGULAR_VERBS.split(","))}


def forms(term: str, dictionary: Dictionary, *, verb: bool) -> Iterator[str]:
    words = term.split(" ")
    if any(letter.isupper() for letter in term) or not all(map(_is_word, words)):
        return
    index = 0 if verb else _head_index(words)
    changed = verb_forms(words[0], dictionary) if verb else noun_forms(words[index], dictionary)
    for form in changed:
        yield " ".join([*words[:index], form, *words[index + 1 :]])


def noun_forms(noun: str, dictionary: Dictionary) -> Iterator[str]:
    """The plural; nothing for a noun that has none, or is one."""
    if noun in _UNCOUNTABLE or noun.endswith("ics"):
        return
    if noun in _IRREGULAR_PLURALS:
        yield _IRREGULAR_PLURALS[noun]
        if noun not in _ALSO_REGULAR:
            return
    elif (
        noun.endswith("s")
        and not noun.endswith("ss")
        and (dictionary.is_form(noun) or not dictionary.knows(noun))
    ):
        return  # "sales" and its like are plurals themselves
    regular = plural(noun)
    # "holding" is listed as a form of "hold", "holdings" by itself.
    if dictionary.agrees(regular, noun) or (dictionary.is_form(noun) and dictionary.knows(regular)):
        yield regular


def is_plural_of(term: str, singular: str) -> bool:
    """Whether the terms differ in one word, which is a plural: "rights to property"."""
    words, others = term.split(" "), singular.split(" ")
    if len(words) != len(others):
        return False
    changed = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return len(changed) == 1 and changed[0][0] in (
        plural(changed[0][1]),
        _IRREGULAR_PLURALS.get(changed[0][1]),
    )


def plural(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def verb_forms(verb: str, dictionary: Dictionary) -> Iterator[str]:
    """Third person, past, participles: accepts, accepted, accepting; writes, wrote, written, writing."""
    third, past, participle = _regular_forms(verb, dictionary)
    listed = _PAST.get(verb, (past,))
    yield from dict.fromkeys((third, *listed, listed[-1] if listed[-1].endswith("ing") else participle))


def _head_index(words: list[str]) -> int:
    """The index of the noun that is inflected: the last word, or the one before a preposition."""
    found = (index - 1 for index, word in enumerate(words) if index and word in _PREPOSITIONS)
    return next(found, len(words) - 1)


def _regular_forms(verb: str, dictionary: Dictionary) -> tuple[str, str, str]:
    third = verb + "es" if verb.endswith(("go", "do")) else plural(verb)
    if verb.endswith("ie"):
        return third, verb + "d", verb[:-2] + "ying"
    if verb.endswith("ee"):
        return third, verb + "d", verb + "ing"
    if verb.endswith("e"):
        return third, verb + "d", verb + "ing" if verb.endswith(("oe", "ye")) else verb[:-1] + "ing"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return third, verb[:-1] + "ied", verb + "ing"
    if verb.endswith("ic"):
        return third, verb + "ked", verb + "king"
    doubled = verb + verb[-1] if _doubles_consonant(verb, dictionary) else verb
    return third, doubled + "ed", doubled + "ing"


def _doubles_consonant(verb: str, dictionary: Dictionary) -> bool:
    """Whether "stop" becomes "stopped": the dictionary knows, or it is one syllable."""
    if len(verb) < 3 or verb[-3] in _VOWELS or verb[-2] not in _VOWELS or verb[-1] in _VOWELS + "wxy":
        return False
    if dictionary.knows(verb):
        return dictionary.has_form(f"{verb}{verb[-1]}ed", verb)
    return sum(letter in _VOWELS for letter in verb) == 1


def _is_word(word: str) -> bool:
    return len(word) > 1 and word.replace("-", "").isalpha()
