"""Links between words and between character spans, from links between subwords.

Two words are linked if any of their subwords are. The probability of a link is the sum over the subwords of
the source word, for the target subword where that is highest: subwords of a word depend too much on each
other to be counted as separate evidence. Links below a probability threshold are left out, so a word may be
unaligned.

    source ▁Ap fel saft ▁trinken         target ▁apple - juice
    probabilities of ▁apple    .5 .3 .1   .1      → Apfelsaft–apple-juice .9, trinken–apple-juice .8
                     juice     .1 .1  0   .8
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from lexalign.contracts.alignment import Link, Span, SpanLink, TextAlignment, WordAlignment
from lexalign.text.words import word_ranges


def word_alignment(
    links: Iterable[Link],
    probabilities: Tensor | None,
    source: tuple[Sequence[str], Sequence[Span], Sequence[Span]],
    target: tuple[Sequence[str], Sequence[Span], Sequence[Span]],
    threshold: float = 0.0,
) -> WordAlignment:
    """Word links from subword links; each side is its words, their spans, and the subwords' spans.

    `probabilities` (T, S) are those of the subwords; without them word links have no probability.
    """
    source_words, source_spans, source_pieces = source
    target_words, target_spans, target_pieces = target
    ranges = word_ranges(source_pieces, source_spans), word_ranges(target_pieces, target_spans)
    word_probabilities = None
    if probabilities is not None:
        word_probabilities = _word_probabilities(probabilities, *ranges, len(source_words), len(target_words))
    return WordAlignment(
        source=tuple(source_words),
        target=tuple(target_words),
        links=tuple(_links(_linked_words(links, *ranges), word_probabilities, threshold)),
        probabilities=word_probabilities,
    )


def word_links(
    links: Iterable[Link],
    source_ranges: Sequence[Span],
    target_ranges: Sequence[Span],
    probabilities: Tensor | None = None,
) -> list[Link]:
    """Word links; the ranges say which words each subword belongs to.

    Subwords beyond the ranges, such as the end of sentence, belong to no word.
    """
    word_probabilities = None
    if probabilities is not None:
        sizes = (max((last for _, last in ranges), default=0) for ranges in (source_ranges, target_ranges))
        word_probabilities = _word_probabilities(probabilities, source_ranges, target_ranges, *sizes)
    return _links(_linked_words(links, source_ranges, target_ranges), word_probabilities, 0.0)


def _linked_words(
    links: Iterable[Link], source_ranges: Sequence[Span], target_ranges: Sequence[Span]
) -> dict[tuple[int, int], bool]:
    """Linked pairs of words, and whether any of their links is sure."""
    pairs: dict[tuple[int, int], bool] = {}
    for link in links:
        if link.source >= len(source_ranges) or link.target >= len(target_ranges):
            continue
        for source in range(*source_ranges[link.source]):
            for target in range(*target_ranges[link.target]):
                pairs[source, target] = pairs.get((source, target), False) or link.sure
    return pairs


def _links(
    pairs: dict[tuple[int, int], bool], word_probabilities: NDArray[np.float64] | None, threshold: float
) -> list[Link]:
    if word_probabilities is None:
        return [Link(source, target, sure=sure) for (source, target), sure in sorted(pairs.items())]
    return [
        Link(source, target, min(1.0, float(word_probabilities[target, source])), sure)
        for (source, target), sure in sorted(pairs.items())
        if word_probabilities[target, source] >= threshold
    ]


def subword_links(
    points: Iterable[tuple[int, int]], source_ranges: Sequence[Span], target_ranges: Sequence[Span]
) -> list[tuple[int, int]]:
    """Word links, source first, as links between all subwords of the words; ranges as for `word_links`."""
    sources, targets = _subwords_of_words(source_ranges), _subwords_of_words(target_ranges)
    found = {
        (source_piece, target_piece)
        for source, target in points
        for source_piece in sources.get(source, ())
        for target_piece in targets.get(target, ())
    }
    return sorted(found)


def _subwords_of_words(ranges: Sequence[Span]) -> dict[int, list[int]]:
    """The subwords of each word."""
    found: dict[int, list[int]] = {}
    for piece, (first, last) in enumerate(ranges):
        for word in range(first, last):
            found.setdefault(word, []).append(piece)
    return found


def _word_probabilities(
    probabilities: Tensor,
    source_ranges: Sequence[Span],
    target_ranges: Sequence[Span],
    num_sources: int,
    num_targets: int,
) -> NDArray[np.float64]:
    """Probabilities (target words, source words) of all word pairs."""
    rows = probabilities.detach().double().cpu().numpy()
    by_subword = np.zeros((len(rows), num_sources))  # (target subwords, source words)
    for piece, (first, last) in enumerate(source_ranges):
        by_subword[:, first:last] += rows[:, piece, None]
    word_probabilities = np.zeros((num_targets, num_sources))
    for piece, (first, last) in enumerate(target_ranges):
        word_probabilities[first:last] = np.maximum(word_probabilities[first:last], by_subword[piece])
    return word_probabilities


def text_alignment(
    source: str,
    target: str,
    links: Iterable[Link],
    source_spans: Sequence[Span],
    target_spans: Sequence[Span],
) -> TextAlignment:
    """The links of subwords or words as links between character spans of the texts."""
    found = span_links(links, source_spans, target_spans)
    return TextAlignment(source=source, target=target, links=tuple(found))


def span_links(
    links: Iterable[Link], source_spans: Sequence[Span], target_spans: Sequence[Span]
) -> list[SpanLink]:
    """Links of subwords or words as links between their spans; those without a span are left out."""
    found = []
    for link in links:
        if link.source >= len(source_spans) or link.target >= len(target_spans):
            continue
        source, target = source_spans[link.source], target_spans[link.target]
        if source[0] < source[1] and target[0] < target[1]:
            found.append(SpanLink(source, target, link.probability))
    return sorted(found, key=lambda link: (link.source, link.target))
