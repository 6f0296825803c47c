"""Detection of untranslatables in a text, in one pass.

Hallo {name}, siehe https://example.com/a.       {name} placeholder, https://example.com/a url
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from lexalign.characters import continues_word
from lexalign.markup.protection.foreign_words import Unknown, find_foreign
from lexalign.markup.protection.numbers import several_currencies
from lexalign.markup.protection.patterns import HINTS, NO_PATTERNS, Patterns, forms
from lexalign.markup.protection.spans import Kind, Role, Untranslatable

# The content of braces: a name, or an argument of an ICU message.
_ARGUMENT = re.compile(r"\s?[^\s{}]{0,100}\s?")
_ICU = re.compile(
    r"\s*[\w.-]+\s*,\s*(?:number|date|time|plural|select|selectordinal|spellout|ordinal|duration|list)\b"
)
_MAX_ARGUMENT_LENGTH = 5000
_WINDOW, _MAX_FORM_LENGTH = 10_000, 2_000  # characters
_BRACES = re.compile(r"[{}]")
_PAIRS = re.compile(r"[\[\]]|\*\*|~~")
_TAG_NAME = re.compile(r"</?([\w:.-]+)")
_EMPTY_TAGS = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_TRAILING_PUNCTUATION = ".,;:!?'’*_~|\\"
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4})")
_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+")
# Up to three letters attached to an untranslatable belong to it: {count}px, {n}th.
_SUFFIX = re.compile(r"[^\W_]{1,3}(?!\w)")
_PREFIX = re.compile(r"(?:\d[\d.,]{0,10}|[^\W\d_]{1,3})\Z")


def find_untranslatables(
    text: str, patterns: Patterns = NO_PATTERNS, unknown: Unknown | None = None
) -> list[Untranslatable]:
    """The untranslatables in the order of the text, without overlaps; the user's patterns have precedence.

    What has characters that are `unknown` to a model comes last.
    """
    found = _by_form(text, patterns)
    foreign = find_foreign(text, unknown) if unknown is not None else []
    signs = (Untranslatable(start=start, end=end, kind="symbol") for start, end in several_currencies(text))
    others = _without_overlaps([*foreign, *signs])
    return _without_overlaps([*found, *_outside(found, others)]) if others else found


def _by_form(text: str, patterns: Patterns) -> list[Untranslatable]:
    own = _without_overlaps(patterns.spans(text))
    if next(_matches(HINTS, text), None) is None:
        return own
    found = [*_arguments(text), *_forms(text), *_pairs(text)]
    return _with_attached_letters(text, _without_overlaps([*own, *_outside(own, found)]))


def _arguments(text: str) -> Iterator[Untranslatable]:
    """{name}, {{name}}, ${name}, and ICU arguments with their content."""
    closing = _closings(text)
    end = 0
    for start in sorted(closing):
        if start < end or not _is_argument(text, start, closing):
            continue
        end = closing[start] + 1
        begin = start - 1 if start and text[start - 1] in "$#@%" else start
        yield Untranslatable(start=begin, end=end, kind="placeholder")


def _closings(text: str) -> dict[int, int]:
    """The position of the closing brace of each opening brace that has one."""
    found: dict[int, int] = {}
    open_braces: list[int] = []
    for match in _BRACES.finditer(text):
        if match[0] == "{":
            open_braces.append(match.start())
        elif open_braces:
            found[open_braces.pop()] = match.start()
    return found


def _is_argument(text: str, start: int, closing: dict[int, int]) -> bool:
    end = closing[start]
    if end - start > _MAX_ARGUMENT_LENGTH:
        return False
    if closing.get(start + 1) == end - 1 or text[start + 1] == text[end - 1] == "%":
        return "\n" not in text[start:end] and end - start < 200
    inside = text[start + 1 : end]
    return _ARGUMENT.fullmatch(inside) is not None or _ICU.match(inside) is not None


def _forms(text: str) -> Iterator[Untranslatable]:
    for match in _matches(forms(), text):
        kind = cast(Kind, match.lastgroup)
        start, end = match.span()
        if kind in ("url", "path"):
            end = _trimmed(text, start, end)
        if kind == "version" and not _is_version(match[0]):
            continue
        if kind == "tag":
            yield _tag(text, start, end)
        elif start < end:
            yield Untranslatable(start=start, end=end, kind=kind)


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """As `finditer`, in short calls, because no other thread runs during one.

    A match that reaches the end of its window is repeated on the whole text.
    """
    position = 0
    while position < len(text):
        limit = position + _WINDOW
        window_end = limit + _MAX_FORM_LENGTH
        for match in pattern.finditer(text, position, window_end):
            if match.start() >= limit:
                break
            whole = pattern.match(text, match.start()) if match.end() >= window_end else match
            if whole is not None:
                yield whole
                position = max(position, whole.end())
                if whole.end() >= window_end:
                    break
        position = max(position, limit)


def _trimmed(text: str, start: int, end: int) -> int:
    """The end of an address without the punctuation of its sentence."""
    unopened = {
        closing: text.count(closing, start, end) - text.count(opening, start, end)
        for opening, closing in _BRACKETS
    }
    while end > start:
        last = text[end - 1]
        if unopened.get(last, 0) > 0:
            unopened[last] -= 1
        elif last not in _TRAILING_PUNCTUATION or text[start:end] in (".", ".."):
            break
        end -= 1
    return end


def _is_version(text: str) -> bool:
    """Whether it is a version, not a number or a date."""
    if text[0] in "vV" and len(text) > 1:
        return True
    if not text.replace(".", "").isdigit():
        return "." in text or "-" in text
    return text.count(".") >= 2 and not _DATE.fullmatch(text) and not _THOUSANDS.fullmatch(text)


def _tag(text: str, start: int, end: int) -> Untranslatable:
    if text[start] == "]":
        return Untranslatable(start=start, end=end, kind="tag", role="closing", name=f"]{start}")
    name = _TAG_NAME.match(text, start, end)
    role: Role = "alone"
    if name is not None and text[end - 2] != "/" and name[1].lower() not in _EMPTY_TAGS:
        role = "closing" if text[start + 1] == "/" else "opening"
    return Untranslatable(start=start, end=end, kind="tag", role=role, name=name[1] if name else "")


def _pairs(text: str) -> Iterator[Untranslatable]:
    """The brackets of [text](address), and emphasis marks around text."""
    brackets: list[int] = []
    emphasis: dict[str, int] = {}
    for match in _PAIRS.finditer(text):
        start, end = match.span()
        if match[0] == "[":
            brackets.append(start)
        elif match[0] == "]":
            opened = brackets.pop() if brackets else None
            if opened is not None and text[end : end + 1] == "(":
                begin = opened - 1 if opened and text[opened - 1] == "!" else opened
                yield _half(begin, opened + 1, "opening", f"]{start}")
        elif match[0] in emphasis and not text[start - 1].isspace():
            opened = emphasis.pop(match[0])
            name = f"{match[0]}{opened}"
            yield _half(opened, opened + 2, "opening", name)
            yield _half(start, end, "closing", name)
        elif end < len(text) and not text[end].isspace():
            emphasis[match[0]] = start


def _half(start: int, end: int, role: Role, name: str) -> Untranslatable:
    return Untranslatable(start=start, end=end, kind="tag", role=role, name=name)


def _without_overlaps(spans: Iterable[Untranslatable]) -> list[Untranslatable]:
    """In the order of the text; of two that overlap, the first, or of the same start the longer."""
    found: list[Untranslatable] = []
    for one in sorted(spans, key=lambda one: (one.start, -one.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def _outside(taken: Sequence[Untranslatable], spans: Iterable[Untranslatable]) -> Iterator[Untranslatable]:
    """The spans that do not overlap any of `taken`."""
    ends = [one.end for one in taken]
    for one in spans:
        index = bisect_right(ends, one.start)
        if index == len(taken) or one.end <= taken[index].start:
            yield one


def _with_attached_letters(text: str, spans: Sequence[Untranslatable]) -> list[Untranslatable]:
    """Extend untranslatables by the few letters attached to them, and join those that touch."""
    found: list[Untranslatable] = []
    for index, one in enumerate(spans):
        if one.lifted:
            found.append(one)
            continue
        limit = spans[index + 1].start if index + 1 < len(spans) else len(text)
        last = found[-1].end if found else 0
        extended = replace(
            one, start=_extended_start(text, one.start, last), end=_extended_end(text, one.end, limit)
        )
        if found and extended.start == last and not found[-1].lifted:
            found[-1] = replace(found[-1], end=extended.end)
        else:
            found.append(extended)
    return found


def _extended_start(text: str, start: int, limit: int) -> int:
    if start == 0 or not continues_word(text[start - 1]):
        return start
    attached = _PREFIX.search(text, max(limit, start - 12), start)
    return (
        attached.start()
        if attached and (attached.start() == 0 or not text[attached.start() - 1].isalnum())
        else start
    )


def _extended_end(text: str, end: int, limit: int) -> int:
    attached = _SUFFIX.match(text, end) if continues_word(text[end : end + 1]) else None
    return attached.end() if attached and attached.end() <= limit else end
