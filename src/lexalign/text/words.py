"""Words and their spans in a text, and the words that each subword belongs to.

Everything goes through character offsets, so words can be split by spaces or by a person who aligned them. A
subword of Japanese may well span several gold words:

    words    東京 | タワー | へ          (0, 2) (2, 5) (5, 6)
    pieces   ▁東 | 京タワー | へ         (0, 1) (1, 5) (5, 6)
    ranges                              (0, 1) (0, 2) (2, 3)
"""

import re
from collections.abc import Sequence

from lexalign.text.surface import Span


def words_of(text: str) -> tuple[list[str], list[Span]]:
    """The words of `text` between white space, and the span of each."""
    found = list(re.finditer(r"\S+", text))
    return [match[0] for match in found], [match.span() for match in found]


def join_words(words: Sequence[str], separator: str = " ") -> tuple[str, list[Span]]:
    """The text of separate words, and the span of each.

    The separator is a space, or nothing for scripts without spaces.
    """
    spans: list[Span] = []
    position = 0
    for word in words:
        spans.append((position, position + len(word)))
        position += len(word) + len(separator)
    return separator.join(words), spans


def word_ranges(piece_spans: Sequence[Span], word_spans: Sequence[Span]) -> list[Span]:
    """For each piece the range (first, last + 1) of the words it shares a character with.

    Both lists are in the order of the text. A piece that touches no word, such as a lone space or an end
    of sentence, gets an empty range.
    """
    ranges: list[Span] = []
    first = 0
    for start, end in piece_spans:
        while first < len(word_spans) and word_spans[first][1] <= start:
            first += 1
        last = first
        # An empty piece touches nothing, even in the middle of a word.
        while start < end and last < len(word_spans) and word_spans[last][0] < end:
            last += 1
        ranges.append((first, last))
    return ranges
