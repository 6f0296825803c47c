"""BLEU-C: BLEU around the constraints (Chatterjee, Sarawagi and Jyothi 2022, appendix "BLEU-C").

BLEU over one span for each constraint: its words and a window of words around them, in the reference and in
the translation. Where the translation does not meet the constraint, its span is empty. With a window of 2:

    reference     we consider the [development] of a robust [security system] that is independent of the
    translation   we consider developing a robust [security system] which is independent of the

    consider the development of a          (empty)
    a robust security system that is       a robust security system which is

If a constraint occurs more than once, its leftmost occurrence that no other constraint has is used, in the
reference and in the translation. Constraints that do not occur in the reference are left out, and the
signature has their number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from lexalign.metrics.constraint_satisfaction import (
    ConstraintOccurrences,
    Constraints,
    find_occurrences,
    term_signature,
)
from lexalign.metrics.ngram_statistics import bleu_statistics
from lexalign.metrics.segment_statistics import SegmentStatistics, check_segments
from lexalign.metrics.words import WordOptions

SpanPair = tuple[str, str]  # text of the translation and of the reference


def bleu_c(
    hypotheses: Sequence[str],
    references: Sequence[str],
    constraints: Constraints,
    options: WordOptions | None = None,
    *,
    window: int = 3,
    tokenizer: str = "13a",
) -> SegmentStatistics:
    """BLEU-C; a row is the sum over the constraints of a segment, so that whole segments are resampled."""
    found = bleu_c_by_window(
        hypotheses, references, constraints, options, windows=(window,), tokenizer=tokenizer
    )
    return found[window]


def bleu_c_by_window(
    hypotheses: Sequence[str],
    references: Sequence[str],
    constraints: Constraints,
    options: WordOptions | None = None,
    *,
    windows: Iterable[int],
    tokenizer: str = "13a",
) -> dict[int, SegmentStatistics]:
    """BLEU-C for several windows; constraints are searched once."""
    options = options or WordOptions()
    check_segments(hypotheses, references, "references")
    check_segments(hypotheses, constraints, "lines of constraints")
    segments = [
        (
            find_occurrences(hypothesis, segment_constraints, options),
            find_occurrences(reference, segment_constraints, options),
        )
        for hypothesis, reference, segment_constraints in zip(
            hypotheses, references, constraints, strict=True
        )
    ]
    return {window: _statistics(segments, options, window, tokenizer) for window in windows}


def span_pairs(
    hypothesis: ConstraintOccurrences, reference: ConstraintOccurrences, window: int
) -> list[SpanPair]:
    """The span pairs of a segment, without constraints that do not occur in its reference."""
    pairs = zip(hypothesis.spans(window), reference.spans(window), strict=True)
    return [
        ("" if found is None else hypothesis.text[slice(*found)], reference.text[slice(*expected)])
        for found, expected in pairs
        if expected is not None
    ]


def _statistics(
    segments: Sequence[tuple[ConstraintOccurrences, ConstraintOccurrences]],
    options: WordOptions,
    window: int,
    tokenizer: str,
) -> SegmentStatistics:
    by_segment = [span_pairs(hypothesis, reference, window) for hypothesis, reference in segments]
    pairs = [pair for found in by_segment for pair in found]
    of_spans = bleu_statistics(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        ignore_case=options.ignore_case,
        tokenizer=tokenizer,
    )
    owners = np.repeat(np.arange(len(segments)), [len(found) for found in by_segment])
    rows = np.zeros((len(segments), of_spans.rows.shape[1]))
    np.add.at(rows, owners, of_spans.rows)
    num_missing = sum(reference.occurrences.count(None) for _, reference in segments)
    counted = f"spans:{len(pairs)}|not-in-reference:{num_missing}|window:{window}|place:leftmost"
    signature = f"{of_spans.signature}|{counted}|{term_signature(options)}"
    return replace(of_spans, name="BLEU-C", rows=rows, signature=signature)
