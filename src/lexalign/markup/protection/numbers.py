"""Numbers of a source that are missing in its translation, whatever separators a language uses.

1.234,50 Euro am 3.5.       1,234.50 euros on 3 May          5 is missing
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lexalign.contracts.alignment import Span

_NUMBER = re.compile(r"\d+(?:[.,'’\u00a0\u202f \u2009:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_CURRENCIES = {
    "€": re.compile(r"\beuro|\bEUR\b", re.IGNORECASE),
    "$": re.compile(r"dollar|\bUSD\b", re.IGNORECASE),
    "£": re.compile(r"pound|pfund|\bGBP\b", re.IGNORECASE),
    "¥": re.compile(r"\byen\b|yuan|\b(?:JPY|CNY)\b", re.IGNORECASE),
}
_CURRENCY = re.compile("[€$£¥]")
# A number that is spelled out is not missing.
_CARDINALS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve",
    "de": "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze",
    "it": "zero un due tre quattro cinque sei sette otto nove dieci undici dodici",
    "ro": "zero un doi trei patru cinci șase șapte opt nouă zece unsprezece doisprezece",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf",
}
_ORDINALS = {
    "en": " first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "de": " erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft",
}


_SPELLED = {
    name: number
    for names in (*_CARDINALS.values(), *_ORDINALS.values())
    for number, name in enumerate(names.split(" "))
    if name
}
_NAMES = re.compile(rf"\b(?:{'|'.join(sorted(_SPELLED, key=len, reverse=True))})", re.IGNORECASE)


def missing_numbers(source: str, target: str, skipped: Sequence[Span] = ()) -> list[Span]:
    """The spans of missing numbers in the source, outside of the skipped spans, which are in order.

    Currency signs that the translation lacks, and does not name, are among them.
    """
    visible = _blanked(source, skipped)
    return sorted([*_missing_digits(visible, target), *_missing_currencies(visible, target)])


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


def _blanked(text: str, spans: Sequence[Span]) -> str:
    """The text with other characters in place of those spans, so that offsets stay the same."""
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += (text[position:start], "_" * (end - start))
        position = end
    return "".join([*parts, text[position:]])


def _without_separators(number: str) -> str:
    return _without_leading_zeros("".join(_DIGITS.findall(number)))


def _without_leading_zeros(digits: str) -> str:
    return digits.lstrip("0") or "0"
