"""BLEU-C: how well constraints are embedded (Chatterjee, Sarawagi and Jyothi 2022, appendix "BLEU-C").

BLEU over one span for each constraint: its words and a window of words around them, in the reference and in
the translation. Where the translation does not meet the constraint, its span is empty. With a window of 2:

    reference     we consider the [development] of a robust [security system] that is independent of the
    translation   we consider developing a robust [security system] which is independent of the

    consider the development of a          (empty)
    a robust security system that is       a robust security system which is

Where a constraint's words occur more than once, the leftmost place that no other constraint has is taken, in
the reference and in the translation alike. A constraint that is not in the reference has no span there; it is
left out, and the signature says how many were.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.constraint_satisfaction import Constraints, places_in, term_signature
from lexalign.metrics.ngram_statistics import bleu_statistics
from lexalign.metrics.occurrences import Place
from lexalign.metrics.segment_statistics import SegmentStatistics, check_segments
from lexalign.metrics.words import WordOptions, split_words

SpanPair = tuple[str, str]  # of the translation, of the reference


def bleu_c(
    hypotheses: Sequence[str],
    references: Sequence[str],
    constraints: Constraints,
    options: WordOptions | None = None,
    *,
    window: int = 3,
    tokenizer: str = "13a",
) -> SegmentStatistics:
    """A row is the sum over the constraints of a segment, so that whole segments are resampled."""
    options = options or WordOptions()
    check_segments(hypotheses, references, "references")
    check_segments(hypotheses, constraints, "lines of constraints")
    segments = [
        span_pairs(hypothesis, reference, asked, options, window=window)
        for hypothesis, reference, asked in zip(hypotheses, references, constraints, strict=True)
    ]
    pairs = [pair for found, _ in segments for pair in found]
    of_spans = bleu_statistics(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        ignore_case=options.ignore_case,
        tokenizer=tokenizer,
    )
    owners = np.repeat(np.arange(len(segments)), [len(found) for found, _ in segments])
    rows = np.zeros((len(segments), of_spans.rows.shape[1]))
    np.add.at(rows, owners, of_spans.rows)
    unplaced = sum(count for _, count in segments)
    counted = f"spans:{len(pairs)}|not-in-reference:{unplaced}|window:{window}|place:leftmost"
    signature = f"{of_spans.signature}|{counted}|{term_signature(options)}"
    return replace(of_spans, name="BLEU-C", rows=rows, signature=signature)


def span_pairs(
    hypothesis: str, reference: str, constraints: Sequence[Constraint], options: WordOptions, *, window: int
) -> tuple[list[SpanPair], int]:
    """The spans of a segment, and how many constraints its reference does not contain."""
    found = places_in(hypothesis, constraints, options)
    expected = places_in(reference, constraints, options)
    pairs = [
        (_span(hypothesis, place, options, window), _span(reference, wanted, options, window))
        for place, wanted in zip(found, expected, strict=True)
        if wanted is not None
    ]
    return pairs, len(expected) - len(pairs)


def _span(text: str, place: Place | None, options: WordOptions, window: int) -> str:
    if place is None:
        return ""
    words = split_words(text, options)[max(0, place.start - window) : place.end + window]
    return text[words[0].start : words[-1].end]
