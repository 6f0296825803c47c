"""Terms and the words around them: whether a stretch of a text is whole words or a part of a longer one.

Die Referenzdaten     "daten" is a part of "Referenzdaten"; the part "-daten" stands there
"""

from collections.abc import Iterator

from lexalign.characters import continues_word, in_word
from lexalign.text.surface import Span


def find_words_of(form: str, text: str) -> Iterator[Span]:
    """Where a form stands as whole words."""
    for start, end in _occurrences(form, text):
        if not _begins_inside(text, start, form) and not continues_word(text[end : end + 1]):
            yield start, end


def find_part(part: str, text: str) -> Iterator[Span]:
    """Where "-daten" stands at the end of a longer word, or "Daten-" at the beginning of one."""
    form = part.strip("-")
    for start, end in _occurrences(form, text):
        inside, continued = _begins_inside(text, start, form), continues_word(text[end : end + 1])
        if (part.startswith("-") and inside and not continued) or (
            part.endswith("-") and not inside and continued
        ):
            yield start, end


def enclosing_word(text: str, span: Span) -> str | None:
    """The longer word that a stretch of a text is a part of; None if it is whole words."""
    start, end = span
    if start >= end:
        return None
    if _begins_inside(text, start, text[start:end]):
        while start > 0 and in_word(text[start - 1]):
            start -= 1
    while continues_word(text[end : end + 1]):
        end += 1
    return text[start:end] if (start, end) != span else None


def longer_word(form: str, text: str) -> str | None:
    """The first longer word that a form, in any case, is a part of."""
    found = (enclosing_word(text, span) for span in _occurrences(form.lower(), text.lower()))
    return next(filter(None, found), None) if len(text.lower()) == len(text) else None


def _begins_inside(text: str, start: int, form: str) -> bool:
    return start > 0 and in_word(text[start - 1]) and continues_word(form)


def _occurrences(form: str, text: str) -> Iterator[Span]:
    start = text.find(form) if form else -1
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)
