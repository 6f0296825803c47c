"""Sentence patterns whose two languages put things in a different order.

German has its verbs at the end of a clause, parts of verbs split off (`fährt ... ab`), time before place,
and its past tense in two pieces; English has none of that, but asks with `did`.
"""

from collections.abc import Callable
from random import Random

from lexalign.data.synthetic import lexicon, phrases
from lexalign.data.synthetic.lexicon import Phrase
from lexalign.data.synthetic.numerals import english_cardinal, german_cardinal

Pattern = Callable[[Random], Phrase]


def perfect(random: Random) -> Phrase:
    who, verb = random.choice(lexicon.PEOPLE), random.choice(lexicon.VERBS)
    what, when = phrases.counted_things(random), phrases.time_and_place(random, phrases.past_time(random))
    return Phrase(
        f"{who.german} hat {when.german} {what.german} {verb.participle}.",
        f"{who.english} {verb.english_past} {what.english} {when.english}.",
    )


def time_first(random: Random) -> Phrase:
    who, verb = random.choice(lexicon.PEOPLE), random.choice(lexicon.VERBS)
    when, what = phrases.past_time(random), phrases.counted_things(random)
    return Phrase(
        f"{when.german} {verb.preterite} {who.german} {what.german}.",
        f"{when.english}, {who.english} {verb.english_past} {what.english}.",
    )


def modal(random: Random) -> Phrase:
    who, verb = random.choice(lexicon.PEOPLE), random.choice(lexicon.VERBS)
    must, what = random.choice(lexicon.MODALS), phrases.counted_things(random)
    when = phrases.time_and_place(random, phrases.future_time(random))
    return Phrase(
        f"{who.german} {must.german} {when.german} {what.german} {verb.infinitive}.",
        f"{who.english} {must.english} {verb.english} {what.english} {when.english}.",
    )


def question(random: Random) -> Phrase:
    who, verb = random.choice(lexicon.PEOPLE), random.choice(lexicon.VERBS)
    what, when = phrases.things(random), phrases.time_and_place(random, phrases.past_time(random))
    return Phrase(
        f"wie viele {what.german} hat {who.german} {when.german} {verb.participle}?",
        f"how many {what.english} did {who.english} {verb.english} {when.english}?",
    )


def that_clause(random: Random) -> Phrase:
    who, verb = random.choice(lexicon.PEOPLE), random.choice(lexicon.VERBS)
    opinion, what = random.choice(lexicon.OPINIONS), phrases.counted_things(random)
    when = phrases.past_time(random)
    return Phrase(
        f"{opinion.german}, dass {who.german} {when.german} {what.german} {verb.participle} hat.",
        f"{opinion.english} that {who.english} {verb.english_past} {what.english} {when.english}.",
    )


def because_clause(random: Random) -> Phrase:
    who, verb = random.choice(lexicon.PEOPLE), random.choice(lexicon.VERBS)
    feeling, what = random.choice(lexicon.FEELINGS), phrases.counted_things(random)
    return Phrase(
        f"{who.german} ist {feeling.german}, weil {who.german_pronoun} {what.german} {verb.participle} hat.",
        f"{who.english} is {feeling.english} "
        f"because {who.english_pronoun} {verb.english_past} {what.english}.",
    )


def relative_clause(random: Random) -> Phrase:
    kinds = ("der Mann, der", "the man who", lexicon.MEN), ("die Frau, die", "the woman who", lexicon.WOMEN)
    german, english, names = random.choice(kinds)
    who, verb, what = random.choice(names), random.choice(lexicon.VERBS), phrases.counted_things(random)
    return Phrase(
        f"{german} {what.german} {verb.participle} hat, heißt {who.german}.",
        f"{english} {verb.english_past} {what.english} is called {who.english}.",
    )


def correction(random: Random) -> Phrase:
    who, verb = random.choice(lexicon.PEOPLE), random.choice(lexicon.VERBS)
    wrong, right, what = phrases.count(random), phrases.count(random), phrases.things(random)
    return Phrase(
        f"{who.german} hat nicht {wrong.german}, sondern {right.german} {what.german} {verb.participle}.",
        f"{who.english} {verb.english_past} {right.english} {what.english}, not {wrong.english}.",
    )


def price(random: Random) -> Phrase:
    what, euros, cents = phrases.counted_things(random), phrases.count(random), phrases.count(random, 99)
    return Phrase(
        f"{what.german} kosten {euros.german} Euro und {cents.german} Cent.",
        f"{what.english} cost {euros.english} euros and {cents.english} cents.",
    )


def age(random: Random) -> Phrase:
    older, younger = random.sample(lexicon.PEOPLE, 2)
    years = random.randint(20, 99)
    difference = random.randint(2, years - 2)
    return Phrase(
        f"{older.german} ist {german_cardinal(years)} Jahre alt, "
        f"und {younger.german} ist {german_cardinal(difference)} Jahre jünger.",
        f"{older.english} is {english_cardinal(years)} years old, "
        f"and {younger.english} is {english_cardinal(difference)} years younger.",
    )


def birth(random: Random) -> Phrase:
    who, when = random.choice(lexicon.PEOPLE), phrases.year(random, first=1910)
    where = random.choice(lexicon.CITIES)
    return Phrase(
        f"{who.german} wurde {when.german} in {where.german} geboren.",
        f"{who.english} was born in {where.english} {when.english}.",
    )


def building(random: Random) -> Phrase:
    what, when = random.choice(lexicon.BUILDINGS), phrases.year(random, first=1110)
    where = random.choice(lexicon.CITIES)
    return Phrase(
        f"{what.german} in {where.german} wurde {when.german} gebaut.",
        f"{what.english} in {where.english} was built {when.english}.",
    )


def visitors(random: Random) -> Phrase:
    what, month = random.choice(lexicon.ATTRACTIONS), random.choice(lexicon.MONTHS)
    number = phrases.count(random, largest=99_999)
    return Phrase(
        f"im {month.german} hatte {what.german} {number.german} Besucher.",
        f"{what.english} had {number.english} visitors in {month.english}.",
    )


def departure(random: Random) -> Phrase:
    city, when = random.choice(lexicon.CITIES), phrases.clock_time(random)
    day = phrases.weekday(random)
    leaves = Phrase(
        f"der Zug nach {city.german} fährt {day.german} {when.german} ab.",
        f"the train to {city.english} leaves {when.english} {day.english}.",
    )
    arrives = Phrase(
        f"der Zug aus {city.german} kommt {day.german} {when.german} an.",
        f"the train from {city.english} arrives {when.english} {day.english}.",
    )
    return random.choice([leaves, arrives])


def delay(random: Random) -> Phrase:
    city, number = random.choice(lexicon.CITIES), phrases.count(random, 99)
    day = phrases.weekday(random)
    return Phrase(
        f"{day.german} hatte der Zug nach {city.german} {number.german} Minuten Verspätung.",
        f"the train to {city.english} was {number.english} minutes late {day.english}.",
    )


def morning(random: Random) -> Phrase:
    who, when = random.choice(lexicon.PEOPLE), phrases.clock_time(random)
    return Phrase(
        f"{who.german} steht jeden Morgen {when.german} auf.",
        f"{who.english} gets up {when.english} every morning.",
    )


PATTERNS: list[Pattern] = [
    perfect,
    time_first,
    modal,
    question,
    that_clause,
    because_clause,
    relative_clause,
    correction,
    price,
    age,
    birth,
    building,
    visitors,
    departure,
    delay,
    morning,
]
