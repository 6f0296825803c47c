"""Numbers, dates and years in German and English words.

German says the unit before the ten (`vierundzwanzig`, four-and-twenty), which is what makes numbers a
small lesson in reordering.
"""


def _words(text: str) -> list[str]:
    return text.split()


GERMAN_UNITS = _words(
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
    "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
GERMAN_TENS = _words("null zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
ENGLISH_UNITS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve "
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
ENGLISH_TENS = _words("zero ten twenty thirty forty fifty sixty seventy eighty ninety")

GERMAN_ORDINALS = {1: "ersten", 3: "dritten", 7: "siebten", 8: "achten"}
ENGLISH_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
    "twenty": "twentieth",
    "thirty": "thirtieth",
}


def german_cardinal(number: int) -> str:
    """0 to 999,999, as one word, as German orthography has it."""
    for size, name in ((1000, "tausend"), (100, "hundert")):
        count, rest = divmod(number, size)
        if count:
            return _german_stem(count) + name + (german_cardinal(rest) if rest else "")
    if number < 20:
        return GERMAN_UNITS[number]
    tens, unit = divmod(number, 10)
    return (f"{_german_stem(unit)}und" if unit else "") + GERMAN_TENS[tens]


def _german_stem(number: int) -> str:
    """The form before another part of the word: ein-, zwei-, ..."""
    word = german_cardinal(number)
    return word.removesuffix("s") if word.endswith("eins") else word


def english_cardinal(number: int) -> str:
    """0 to 999,999, in British style: one hundred and one."""
    for size, name in ((1000, "thousand"), (100, "hundred")):
        count, rest = divmod(number, size)
        if count:
            link = " and " if rest < 100 else " "
            return f"{english_cardinal(count)} {name}" + (link + english_cardinal(rest) if rest else "")
    if number < 20:
        return ENGLISH_UNITS[number]
    tens, unit = divmod(number, 10)
    return ENGLISH_TENS[tens] + (f"-{ENGLISH_UNITS[unit]}" if unit else "")


def german_ordinal(number: int) -> str:
    """1 to 99, in the dative: am dritten Mai."""
    ending = "ten" if number < 20 else "sten"
    return GERMAN_ORDINALS.get(number) or german_cardinal(number) + ending


def english_ordinal(number: int) -> str:
    """1 to 99: the third of May."""
    tens, hyphen, last = english_cardinal(number).rpartition("-")
    return tens + hyphen + ENGLISH_ORDINALS.get(last, f"{last}th")


def german_year(year: int) -> str:
    """1100 to 1999: neunzehnhundertvierundachtzig."""
    century, rest = divmod(year, 100)
    return german_cardinal(century) + "hundert" + (german_cardinal(rest) if rest else "")


def english_year(year: int) -> str:
    """1100 to 1999, but not the first nine years of a century: nineteen eighty-four."""
    century, rest = divmod(year, 100)
    return f"{english_cardinal(century)} {english_cardinal(rest) if rest else 'hundred'}"
