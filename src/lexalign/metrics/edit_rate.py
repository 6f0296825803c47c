"""1 - TERm: translation edit rate with double weight of errors in terms (Alam, Anastasopoulos et al. 2021).

To miss or replace a reference word that belongs to a term costs 2. The rate of a segment is its edits over
the reference's words; that of a corpus is the mean over segments, as in the evaluation of WMT 2021's
terminology task. The score may be negative: a bad translation can need more edits than the reference has
words.

TER (Snover et al. 2006) is the number of edits from a translation to its reference, where a run of words may
be shifted as one edit, over the reference's length. Here an edit that misses or replaces a reference word
costs that word's weight; everything else, a shift included, costs 1. Shifts are found greedily, as Tercom
finds them:

    reference    a b c d e        hypothesis   d e a b c        1 shift, where words alone need 4 edits

With all weights 1 the number of edits is that of sacreBLEU, which tests check, except that distances are
exact here and limited to a beam around the diagonal there.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.constraint_satisfaction import Constraints, term_signature, wanted_phrases
from lexalign.metrics.occurrences import match_constraints
from lexalign.metrics.segment_statistics import Numbers, SegmentStatistics, check_segments, ratio_statistics
from lexalign.metrics.words import WordOptions, forms, split_words

Ids = NDArray[np.int64]
Shift = tuple[int, int, int]  # first word, number of words, target

# Tercom's limits, and sacreBLEU's for sentences of nothing but repetitions.
_MAX_SHIFT_WORDS = 10
_MAX_SHIFT_DISTANCE = 50
_MAX_CANDIDATES = 1_000


def term_edit_rate(
    hypotheses: Sequence[str],
    references: Sequence[str],
    constraints: Constraints,
    options: WordOptions | None = None,
    *,
    weight: float = 2.0,
) -> SegmentStatistics:
    options = options or WordOptions()
    check_segments(hypotheses, references, "references")
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = [
        (1 - _segment_rate(hypothesis, reference, segment_constraints, options, weight), 1.0)
        for hypothesis, reference, segment_constraints in zip(
            hypotheses, references, constraints, strict=True
        )
    ]
    signature = f"segments:{len(rows)}|weight:{weight:g}|shift:1|mean:segment|{term_signature(options)}"
    return ratio_statistics("1-TERm", rows, signature)


def term_weights(
    reference: Sequence[str], constraints: Sequence[Constraint], options: WordOptions, weight: float
) -> list[float]:
    """The weights of the reference's words: `weight` within terms, 1 elsewhere."""
    weights = [1.0] * len(reference)
    for occurrence in match_constraints(wanted_phrases(constraints, options), reference):
        if occurrence is not None:
            weights[occurrence.start : occurrence.end] = [weight] * (occurrence.end - occurrence.start)
    return weights


def _segment_rate(
    hypothesis: str, reference: str, constraints: Sequence[Constraint], options: WordOptions, weight: float
) -> float:
    found, expected = (forms(split_words(text, options)) for text in (hypothesis, reference))
    if not expected:
        return float(bool(found))
    weights = term_weights(expected, constraints, options, weight)
    return translation_edits(found, expected, weights) / len(expected)


def translation_edits(
    hypothesis: Sequence[str], reference: Sequence[str], weights: Sequence[float] | None = None
) -> float:
    """The cost of all edits; `weights` are those of the reference's words, 1 by default."""
    ids = {word: index for index, word in enumerate(dict.fromkeys([*hypothesis, *reference]))}
    words = np.array([ids[word] for word in hypothesis], dtype=np.int64)
    wanted = np.array([ids[word] for word in reference], dtype=np.int64)
    costs = np.ones(len(wanted)) if weights is None else np.asarray(weights, dtype=np.float64)
    num_shifts = num_candidates = 0
    while True:
        shifts = list(_shifts(words, wanted, _Trace(words, wanted, costs), num_candidates))
        num_candidates += len(shifts)
        if not shifts or num_candidates >= _MAX_CANDIDATES:
            break
        shifted = np.array([_shifted(words, shift) for shift in shifts])
        gains = _distances(words[None], wanted, costs) - _distances(shifted, wanted, costs)
        # The greatest gain; ties go to the longest, then the earliest, then the earliest target.
        best = max(range(len(shifts)), key=lambda i: (gains[i], shifts[i][1], -shifts[i][0], -shifts[i][2]))
        if gains[best] <= 0:
            break
        words = shifted[best]
        num_shifts += 1
    return num_shifts + float(_distances(words[None], wanted, costs)[0])


class _Trace:
    """The cheapest edits without shifts: which words are wrong, and the positions of reference words."""

    def __init__(self, words: Ids, reference: Ids, weights: Numbers) -> None:
        self.wrong = np.zeros(len(words), dtype=bool)
        self.wrong_in_reference = np.zeros(len(reference), dtype=bool)
        self.position = np.zeros(
            len(reference), dtype=np.int64
        )  # of the word at, or last before, each reference word
        table = np.stack([row[0] for row in _rows(words[None], reference, weights)])
        i, j = len(words), len(reference)
        while i or j:
            # Of edits of the same cost: a match or substitution, then a deletion, then an insertion.
            cost = 0.0 if i and j and words[i - 1] == reference[j - 1] else weights[j - 1] if j else 0.0
            if i and j and table[i, j] == table[i - 1, j - 1] + cost:
                i, j = i - 1, j - 1
                self.position[j] = i
                self.wrong[i] = self.wrong_in_reference[j] = cost > 0
            elif i and table[i, j] == table[i - 1, j] + 1:
                i -= 1
                self.wrong[i] = True
            else:
                j -= 1
                self.position[j] = i - 1
                self.wrong_in_reference[j] = True


def _shifts(words: Ids, reference: Ids, trace: _Trace, num_before: int) -> Iterator[Shift]:
    """Shifts of words that are wrong at their position and right at another, up to the limit."""
    count = num_before
    for start, start_in_reference, size in _matches(words, reference):
        end = start + size
        if not trace.wrong[start:end].any():
            continue
        if not trace.wrong_in_reference[start_in_reference : start_in_reference + size].any():
            continue
        if start <= trace.position[start_in_reference] < end:
            continue
        before = range(start_in_reference - 1, start_in_reference + size)
        targets = [int(trace.position[index]) + 1 if index >= 0 else 0 for index in before]
        found = [targets[0], *(target for last, target in pairwise(targets) if target != last)]
        yield from ((start, size, target) for target in found)
        count += len(found)
        if count >= _MAX_CANDIDATES:
            return


def _matches(words: Ids, reference: Ids) -> Iterator[tuple[int, int, int]]:
    """Runs of words that also occur in the reference: first word, first word there, and their number."""
    starts, starts_in_reference = np.nonzero(words[:, None] == reference)
    for start, there in zip(starts.tolist(), starts_in_reference.tolist(), strict=True):
        if abs(start - there) > _MAX_SHIFT_DISTANCE:
            continue
        limit = min(_MAX_SHIFT_WORDS, len(words) - start, len(reference) - there)
        for size in range(1, limit + 1):
            if words[start + size - 1] != reference[there + size - 1]:
                break
            yield start, there, size


def _shifted(words: Ids, shift: Shift) -> Ids:
    start, size, target = shift
    run, others = words[start : start + size], np.delete(words, slice(start, start + size))
    # A target behind the run is counted with the run in place; one inside it, as in Tercom, without.
    position = target - size if target > start + size else target
    return np.concatenate([others[:position], run, others[position:]])


def _distances(candidates: Ids, reference: Ids, weights: Numbers) -> Numbers:
    """Edit distances (C,) of rows of words (C, length)."""
    *_, last = _rows(candidates, reference, weights)
    return last[:, -1]


def _rows(candidates: Ids, reference: Ids, weights: Numbers) -> Iterator[Numbers]:
    """Rows (C, reference + 1) of the distance tables, one for each number of words, from none."""
    missing = np.concatenate([[0.0], np.cumsum(weights)])
    row = np.repeat(missing[None], len(candidates), axis=0)
    yield row
    for column in candidates.T:
        substituted = row[:, :-1] + np.where(column[:, None] == reference, 0.0, weights)
        row = row + 1
        row[:, 1:] = np.minimum(row[:, 1:], substituted)
        # A run of missing words costs the difference of two sums, so all runs are tried in one pass.
        row = np.minimum.accumulate(row - missing, axis=1) + missing
        yield row
