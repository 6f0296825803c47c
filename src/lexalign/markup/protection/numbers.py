"""Numbers of a source that are missing in its translation, whatever separators a language uses.

1.234,50 Euro am 3.5.       1,234.50 euros on 3 May          5 is missing
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lexalign.contracts.alignment import Span
from lexalign.text.span_set import blanked

_NUMBER = re.compile(r"\d+(?:[.,'’\u00a0\u202f \u2009:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_CURRENCIES = {
    "€": re.compile(r"\beuro|\bEUR\b", re.IGNORECASE),
    "$": re.compile(r"dollar|\bUSD\b", re.IGNORECASE),
    "£": re.compile(r"pound|pfund|\bGBP\b", re.IGNORECASE),
    "¥": re.compile(r"\byen\b|yuan|\b(?:JPY|CNY)\b", re.IGNORECASE),
}
_CURRENCY = re.compile("[€$£¥]")
# A sign before or behind a number.
_AMOUNT = re.compile(r"[€$£¥](?=[ \u00a0\u202f]?\d)|(?:(?<=\d)|(?<=\d[ \u00a0\u202f]))[€$£¥]")
# A number that is spelled out is not missing: from zero to twenty, then the tens; those
# between are composed in English and German.
_CARDINALS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf vingt trente quarante cinquante soixante soixante-dix quatre-vingt "
    "quatre-vingt-dix",
    "es": "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta "
    "noventa",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze "
    "dezesseis dezessete dezoito dezenove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "it": "zero un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici "
    "quindici sedici diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta "
    "ottanta novanta",
    "ro": "zero un doi trei patru cinci șase șapte opt nouă zece unsprezece doisprezece treisprezece "
    "paisprezece cincisprezece șaisprezece șaptesprezece optsprezece nouăsprezece douăzeci treizeci "
    "patruzeci cincizeci șaizeci șaptezeci optzeci nouăzeci",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien "
    "zestien zeventien achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
# Where they do not begin with the cardinal.
_ORDINALS = {
    "en": " first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth "
    "sixtieth seventieth eightieth ninetieth",
    "de": " erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft",
}
_NUMBERS = (*range(21), *range(30, 100, 10))


def _named(names: str) -> dict[str, int]:
    return {name: number for number, name in zip(_NUMBERS, names.split(" "), strict=False) if name}


def _composed(names: str, pattern: str) -> dict[str, int]:
    """From 21 to 99, by a pattern of tens and units."""
    known = list(_named(names).items())
    return {
        pattern.format(ten, unit): ten_number + number
        for ten, ten_number in known[20:]
        for unit, number in known[1:10]
    }


_SPELLED = {
    **_composed(_CARDINALS["en"], "{}-{}"),
    **_composed(_CARDINALS["de"], "{1}und{0}"),
    **{
        name: number
        for names in (*_CARDINALS.values(), *_ORDINALS.values())
        for name, number in _named(names).items()
    },
}
_NAMES = re.compile(rf"\b(?:{'|'.join(sorted(_SPELLED, key=len, reverse=True))})", re.IGNORECASE)


def missing_numbers(source: str, target: str, skipped: Sequence[Span] = ()) -> list[Span]:
    """The spans of missing numbers in the source, outside of the skipped spans, which are in order.

    Currency signs that the translation lacks, and does not name, are among them.
    """
    visible = blanked(source, skipped, "_")
    return sorted([*_missing_digits(visible, target), *_missing_currencies(visible, target)])


def with_own_currency(source: str, target: str, skipped: Sequence[Span] = ()) -> str:
    """The target, with the source's sign of a currency where it has another one beside a number.

    Models take one currency for another: of "5 €" they make "$5". Nothing is changed where the source has
    several currencies, or the target names the source's; `skipped` are spans of the target, in order.
    """
    signs = set(_CURRENCY.findall(source))
    if len(signs) != 1:
        return target
    (own,) = signs
    visible = blanked(target, skipped, "_")
    if own in visible or _CURRENCIES[own].search(visible):
        return target
    places = {match.start() for match in _AMOUNT.finditer(visible)}
    return "".join(own if place in places else one for place, one in enumerate(target)) if places else target


def several_currencies(text: str) -> list[Span]:
    """The signs of currencies beside numbers, where there are several: models take one for another."""
    found = [match.span() for match in _AMOUNT.finditer(text)]
    return found if len({text[start] for start, _ in found}) > 1 else []


def _missing_currencies(source: str, target: str) -> Iterator[Span]:
    available = Counter(match[0] for match in _CURRENCY.finditer(target))
    named = {sign for sign, name in _CURRENCIES.items() if sign in source and name.search(target)}
    for match in _CURRENCY.finditer(source):
        available[match[0]] -= 1
        if available[match[0]] < 0 and match[0] not in named:
            yield match.span()


def _missing_digits(source: str, target: str) -> list[Span]:
    numbers = [match.span() for match in _NUMBER.finditer(source)]
    if not numbers:
        return []
    wholes = Counter(_without_separators(match[0]) for match in _NUMBER.finditer(target))
    parts = Counter(map(_without_leading_zeros, _DIGITS.findall(target)))
    spelled = {str(_SPELLED[match[0].lower()]) for match in _NAMES.finditer(target)}
    missing: list[Span] = []
    for start, end in numbers:
        digits = list(_DIGITS.finditer(source, start, end))
        joined = _without_separators(source[start:end])
        if wholes[joined] > 0:
            wholes[joined] -= 1
            parts.subtract(_without_leading_zeros(part[0]) for part in digits)
            continue
        for part in digits:
            number = _without_leading_zeros(part[0])
            if parts[number] > 0:
                parts[number] -= 1
            elif number not in spelled:
                missing.append(part.span())
    return missing


def _without_separators(number: str) -> str:
    return _without_leading_zeros("".join(_DIGITS.findall(number)))


def _without_leading_zeros(digits: str) -> str:
    return digits.lstrip("0") or "0"
