"""A number that keeps its digits, but not its value: the separators are set right.

    source     About 5,403,293.73 people     translation    Etwa 5403,293,73       Etwa 5.403.293,73
               rose to 8,427,164 dollars                    auf 8.427,164 Dollar   auf 8.427.164 Dollar

Only numbers with groups of thousands are looked at: 2.104 may be a room, and 3.11 a version. One that has a
single group and no decimals may be one, too, and is left alone where the translation has it as it was.
"""

import re
from collections.abc import Sequence

from lexalign.contracts.alignment import Span
from lexalign.text.subwords import Languages

# Languages by what stands before decimals, and between groups in the second half.
_COMMA_AND_DOT = frozenset("de es it pt nl ro tr el da id hr sl sr vi ca gl is".split())  # noqa: SIM905
_COMMA_AND_SPACE = frozenset("fr pl ru uk cs sk bg sv nb nn no fi et lv lt hu".split())  # noqa: SIM905
_POINT_AND_COMMA = frozenset("en ja zh ko th he ms sw".split())  # noqa: SIM905
_NARROW_SPACE = "\u202f"
_WITH_COMMA = re.compile(
    r"(?<![\w.,])\d{1,3}(?P<group>[.'’\u00a0\u202f])\d{3}(?:(?P=group)\d{3}){0,6}(?:,\d{1,12})?(?!\w|[.,'’]\d)"
)
_WITH_POINT = re.compile(r"(?<![\w.,])\d{1,3}(?P<group>,)\d{3}(?:,\d{3}){0,6}(?:\.\d{1,12})?(?!\w|[.,]\d)")
_DIGIT_RUNS = re.compile(r"\d{1,40}+(?:[.,'’\u00a0\u202f\u2009 ]\d{1,40}+){0,12}")
_DIGITS = re.compile(r"\d+")


def fit_numbers(
    text: str, spans: Sequence[Span], source: str, languages: Languages
) -> tuple[str, list[Span]]:
    """The translation with the source's large numbers as its language writes them, and its tokens' places."""
    spans = list(spans)
    asked = _asked(source, *languages)
    if not asked:
        return text, spans
    for match in reversed(list(_DIGIT_RUNS.finditer(text))):
        found = asked.get("".join(_DIGITS.findall(match[0])))
        if found is None or match[0] in found:
            continue
        text, spans = _replaced(text, spans, match.span(), found[0])
    return text, spans


def _asked(source: str, from_language: str, to_language: str) -> dict[str, tuple[str, ...]]:
    """By its digits, how each number may be written; first of all how it should be."""
    pattern = _pattern(from_language)
    marks = _marks(to_language)
    if pattern is None or marks is None:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for match in pattern.finditer(source):
        whole, decimals = _parts(match[0], match["group"])
        group, point = marks
        grouped = f"{int(whole):,}".replace(",", group)
        fraction = point + decimals if decimals else ""
        allowed = [grouped + fraction, whole + fraction]
        allowed += [f"{int(whole):,}".replace(",", other) + fraction for other in " \u00a0\u202f\u2009"]
        if not decimals and match[0].count(match["group"]) == 1:
            allowed.append(match[0])
        found["".join(_DIGITS.findall(match[0]))] = tuple(allowed)
    return found


def _pattern(language: str) -> re.Pattern[str] | None:
    language = _base(language)
    if language in _POINT_AND_COMMA:
        return _WITH_POINT
    return _WITH_COMMA if language in _COMMA_AND_DOT | _COMMA_AND_SPACE else None


def _marks(language: str) -> tuple[str, str] | None:
    language = _base(language)
    if language in _POINT_AND_COMMA:
        return ",", "."
    if language in _COMMA_AND_DOT:
        return ".", ","
    return (_NARROW_SPACE, ",") if language in _COMMA_AND_SPACE else None


def _base(language: str) -> str:
    return language.replace("_", "-").split("-")[0].lower()


def _parts(number: str, group: str) -> tuple[str, str]:
    """The digits before and behind the decimal mark."""
    *groups, last = number.split(group)
    end, _, decimals = last.partition("." if group == "," else ",")
    return "".join([*groups, end]), decimals


def _replaced(text: str, spans: Sequence[Span], place: Span, new: str) -> tuple[str, list[Span]]:
    start, end = place
    shift = start + len(new) - end

    def moved(position: int) -> int:
        if position <= start:
            return position
        return position + shift if position >= end else min(position, start + len(new))

    return text[:start] + new + text[end:], [(moved(first), moved(last)) for first, last in spans]
