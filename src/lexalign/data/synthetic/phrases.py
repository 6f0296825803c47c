"""Parts of sentences drawn at random: counts, times of the day, dates, and so on."""

from random import Random

from lexalign.data.synthetic import lexicon
from lexalign.data.synthetic.lexicon import Phrase
from lexalign.data.synthetic.numerals import (
    english_cardinal,
    english_ordinal,
    english_year,
    german_cardinal,
    german_ordinal,
    german_year,
)


def count(random: Random, largest: int = 999) -> Phrase:
    """A number from 2, mostly below 100."""
    number = (
        random.randint(2, 99) if largest < 100 or random.random() < 0.75 else random.randint(100, largest)
    )
    if number % 100 == 1:
        # "hunderteins Äpfel" and "hundertein Äpfel" are both heard; we say neither.
        number += 1
    return Phrase(german_cardinal(number), english_cardinal(number))


def things(random: Random) -> Phrase:
    """Things, at times with an adjective."""
    thing = random.choice(lexicon.THINGS)
    if random.random() < 0.6:
        return thing
    adjective = random.choice(lexicon.ADJECTIVES)
    return Phrase(f"{adjective.german} {thing.german}", f"{adjective.english} {thing.english}")


def counted_things(random: Random) -> Phrase:
    number, thing = count(random), things(random)
    return Phrase(f"{number.german} {thing.german}", f"{number.english} {thing.english}")


def date(random: Random) -> Phrase:
    day, month = random.randint(1, 28), random.choice(lexicon.MONTHS)
    return Phrase(
        f"am {german_ordinal(day)} {month.german}", f"on the {english_ordinal(day)} of {month.english}"
    )


def weekday(random: Random) -> Phrase:
    day = random.choice(lexicon.WEEKDAYS)
    return Phrase(f"am {day.german}", f"on {day.english}")


def past_time(random: Random) -> Phrase:
    period = random.choice(lexicon.PERIODS)
    number = random.randint(2, 20)
    ago = Phrase(
        f"vor {german_cardinal(number)} {period.german}", f"{english_cardinal(number)} {period.english} ago"
    )
    return random.choice([date(random), weekday(random), random.choice(lexicon.PAST), ago])


def future_time(random: Random) -> Phrase:
    period = random.choice(lexicon.PERIODS)
    number = random.randint(2, 20)
    ahead = Phrase(
        f"in {german_cardinal(number)} {period.german}", f"in {english_cardinal(number)} {period.english}"
    )
    return random.choice([date(random), weekday(random), random.choice(lexicon.FUTURE), ahead])


def time_and_place(random: Random, time: Phrase) -> Phrase:
    """German says when before where, English where before when."""
    if random.random() < 0.5:
        return time
    place = random.choice(lexicon.PLACES)
    return Phrase(f"{time.german} {place.german}", f"{place.english} {time.english}")


def clock_time(random: Random) -> Phrase:
    """`halb vier`, half of the fourth hour, is half past three."""
    hour = random.randint(1, 12)
    minutes = random.choice([5, 10, 20])
    previous = english_cardinal(hour - 1 or 12)
    german, english = german_cardinal(hour), english_cardinal(hour)
    before = Phrase(german_cardinal(minutes), english_cardinal(minutes))
    return random.choice(
        [
            Phrase(f"um {'ein' if hour == 1 else german} Uhr", f"at {english} o'clock"),
            Phrase(f"um halb {german}", f"at half past {previous}"),
            Phrase(f"um Viertel nach {german}", f"at a quarter past {english}"),
            Phrase(f"um Viertel vor {german}", f"at a quarter to {english}"),
            Phrase(f"um {before.german} nach {german}", f"at {before.english} past {english}"),
            Phrase(f"um {before.german} vor {german}", f"at {before.english} to {english}"),
        ]
    )


def year(random: Random, first: int) -> Phrase:
    number = random.randint(first, 1999)
    # English has its own way with the first years of a century ("nineteen oh four").
    number += 10 if 0 < number % 100 < 10 else 0
    return Phrase(f"im Jahr {german_year(number)}", f"in {english_year(number)}")
