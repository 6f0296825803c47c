"""Spans of the sentences of a text; only white space is between them.

    Dr. Ida kam am 3. Mai. „Gut!“ sagte sie.␣␣Er ging.
    |--------------------| |---------------|  |------|

A sentence ends at a line break, and after `.`, `!`, `?`, `…` and similar punctuation if white space follows,
and then something that may begin a sentence. A full stop after an abbreviation, an initial or an ordinal ends
no sentence, unless the next word is capitalised only at the beginning of a sentence. Full stops of Chinese,
Japanese, Hindi and others always end a sentence. Splitting one sentence does more harm to a translation than
joining two, so in doubt nothing is split.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from lexalign.text.sentences.abbreviations import conventions_of
from lexalign.text.sentences.ends import sentence_ends
from lexalign.text.sentences.graphemes import nearest_boundary
from lexalign.text.surface import Span

_SPACE = re.compile(r"\s")
_AFTER_CLAUSE = re.compile(r"[,;:!?…–—)\]”»،؛](?=\s)|[、，；：。！？」』）।॥۔]+")


def sentence_spans(text: str, breaks: Iterable[int] = (), language: str | None = None) -> list[Span]:
    """The spans of sentences, without white space around them; a sentence also ends at each of the `breaks`.

    The `language` determines abbreviations and ordinals; without it, those of many languages are combined.
    """
    conventions = conventions_of(language)
    positions = sorted({0, len(text), *(position for position in breaks if 0 < position < len(text))})
    spans: list[Span] = []
    for start, end in pairwise(positions):
        cuts = (start, *sentence_ends(text, start, end, conventions), end)
        spans.extend(_stripped(text, cuts))
    return spans


def split_to_fit(text: str, span: Span, fits: Callable[[str], bool]) -> list[Span]:
    """Parts of text[span] each of which fits, without white space around them.

    A part is split after punctuation in its middle half, else at the white space nearest to its middle, else
    between characters; a single character that does not fit is returned as it is.
    """
    found: list[Span] = []
    waiting = list(_stripped(text, span))
    while waiting:
        part = waiting.pop()
        position = None if fits(text[slice(*part)]) else _cut(text, part)
        if position is None:
            found.append(part)
        else:
            waiting += reversed(list(_stripped(text, (part[0], position, part[1]))))
    return found


def keep_together(spans: Sequence[Span], together: Sequence[Span]) -> list[Span]:
    """The spans, with neighbours joined where a span of `together` crosses their boundary.

    All spans are in the order of the text.
    """
    found: list[Span] = []
    waiting = iter(together)
    current = next(waiting, None)
    for start, end in spans:
        while current is not None and current[1] <= start:
            current = next(waiting, None)
        if found and current is not None and current[0] < start:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def replace_sentences(text: str, spans: Sequence[Span], translations: Sequence[str]) -> tuple[str, list[int]]:
    """The text with a translation in place of each sentence, and where each begins; the rest is kept."""
    parts: list[str] = []
    starts: list[int] = []
    position = length = 0
    for (start, end), translation in zip(spans, translations, strict=True):
        parts += (text[position:start], translation)
        starts.append(length + start - position)
        length = starts[-1] + len(translation)
        position = end
    return "".join([*parts, text[position:]]), starts


def _cut(text: str, part: Span) -> int | None:
    """The position to split at, if any; two splits leave at most three quarters, or a word or character."""
    start, end = part
    middle, quarter = (start + end) // 2, (end - start) // 4
    marks = [match.end() for match in _AFTER_CLAUSE.finditer(text, start + quarter, end - quarter)]
    positions = [position for position in marks if position < end] or _nearest_spaces(text, middle, part)
    if positions:
        return min(positions, key=lambda position: abs(position - middle))
    return nearest_boundary(text, middle, part)


def _nearest_spaces(text: str, middle: int, part: Span) -> list[int]:
    start, end = part
    following = _SPACE.search(text, max(start, middle - 1), end)
    positions = [following.start()] if following else []
    words = text[start:middle].rsplit(maxsplit=1)
    if len(words) == 2 and not text[middle - 1].isspace():
        positions.append(middle - len(words[1]))
    return positions


def _stripped(text: str, cuts: Iterable[int]) -> Iterator[Span]:
    for start, end in pairwise(cuts):
        part = text[start:end]
        inner = part.strip()
        if inner:
            first = start + len(part) - len(part.lstrip())
            yield first, first + len(inner)
