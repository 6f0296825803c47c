"""Which words of a source nothing in its translation comes from, and whether content is likely lost.

Each token of a translation comes from a source token with a probability, so nothing comes from a source word
with the product of all that they do not. `Wir prüfen den Antrag sorgfältig.` as "We examine the request.":

    word            Wir     prüfen    den     Antrag    sorgfältig
    nothing comes   0.00    0.01      0.06    0.00      0.93

Some words are translated by nothing: particles, articles, parts of verbs. They are mostly short, and stand
alone. So a word counts as uncovered only from `UNCOVERED` on, and content is likely lost where uncovered
words have `LOST_LETTERS` letters or more without a covered word between them. Both are settled on
translations from which words were deleted (`experiments/studies/lost_words.py`).
"""

import re
from collections.abc import Sequence
from itertools import groupby

from lexalign.contracts.alignment import Span
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.text.words import word_ranges
from lexalign.translator.source_text import SourceSentence
from lexalign.translator.translation import UncoveredWord

UNCOVERED = 0.7
LOST_LETTERS = 12
_WORDS = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")


def source_coverage(
    hypothesis: Hypothesis, source: SourceSentence
) -> tuple[float | None, tuple[UncoveredWord, ...]]:
    """The share of source words that something comes from, None if it is not known, and the other words."""
    if not hypothesis.coverage:
        return None, ()
    kept = [one.span for one in source.masked.stand_ins]
    words = [
        match.span() for match in _WORDS.finditer(source.masked.text) if not _overlaps(match.span(), kept)
    ]
    nothing = nothing_comes(words, source.token_spans, hypothesis.coverage)
    found = find_uncovered(words, nothing)
    share = 1.0 - len(found) / len(words) if words else 1.0
    return share, tuple(
        UncoveredWord(source=source.masked.to_source(one.source), probability=one.probability, lost=one.lost)
        for one in found
    )


def nothing_comes(
    words: Sequence[Span], token_spans: Sequence[Span], coverage: Sequence[float]
) -> list[float]:
    """The probability that nothing comes from each word."""
    found = [1.0] * len(words)
    for (first, last), covered in zip(word_ranges(token_spans, words), coverage, strict=False):
        for word in range(first, last):
            found[word] *= 1.0 - covered
    return found


def find_uncovered(words: Sequence[Span], nothing: Sequence[float]) -> list[UncoveredWord]:
    """The words that nothing seems to come from; neighbours that are long enough together are lost."""
    found: list[UncoveredWord] = []
    pairs = zip(words, nothing, strict=True)
    for uncovered, group in groupby(pairs, lambda pair: pair[1] >= UNCOVERED):
        if uncovered:
            run = list(group)
            lost = sum(end - start for (start, end), _ in run) >= LOST_LETTERS
            found += [UncoveredWord(source=word, probability=one, lost=lost) for word, one in run]
    return found


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
