"""Exact-match term accuracy and window overlap of the terminology shared task.

Alam, Anastasopoulos et al. 2021, "On the Evaluation of Machine Translation for Terminology Consistency", and
the evaluation of WMT 2021's terminology task, without its lemmas.

Exact match: terms in their order take the first occurrence of any of their forms where no other term starts;
the accuracy is terms with an occurrence over terms.

Window overlap: of the words around a term in the reference (without punctuation, `window` on either side),
the share that is also around the term in the translation. If a term occurs several times, occurrences are
paired by descending overlap. The value of a segment is the mean over its pairs, 0 without any; that of the
corpus is the mean over the segments whose reference has terms.

    reference    the virus [spreads] by small droplets      window 2: the virus, by small
    translation  this virus [spreads] in small drops        this virus, in small          overlap 2/4
"""

from collections import Counter
from collections.abc import Sequence

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.constraint_satisfaction import Constraints, term_signature, wanted_phrases
from lexalign.metrics.occurrences import Occurrence, Phrase, find_constraint, find_phrase, match_constraints
from lexalign.metrics.segment_statistics import SegmentStatistics, check_segments, ratio_statistics
from lexalign.metrics.words import WordOptions, forms, is_punctuation, split_words


def exact_match(
    hypotheses: Sequence[str], constraints: Constraints, options: WordOptions | None = None
) -> SegmentStatistics:
    options = options or WordOptions()
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = []
    for hypothesis, segment_constraints in zip(hypotheses, constraints, strict=True):
        terms = wanted_phrases(segment_constraints, options)
        rows.append((_num_matched(terms, forms(split_words(hypothesis, options))), len(terms)))
    signature = f"terms:{sum(row[1] for row in rows)}|lemmas:no|{term_signature(options)}"
    return ratio_statistics("exact match", rows, signature)


def window_overlap(
    hypotheses: Sequence[str],
    references: Sequence[str],
    constraints: Constraints,
    options: WordOptions | None = None,
    *,
    window: int = 2,
) -> SegmentStatistics:
    options = options or WordOptions()
    check_segments(hypotheses, references, "references")
    check_segments(hypotheses, constraints, "lines of constraints")
    rows = [
        _segment_overlap(hypothesis, reference, segment_constraints, options, window)
        for hypothesis, reference, segment_constraints in zip(
            hypotheses, references, constraints, strict=True
        )
    ]
    segments = sum(int(row[1]) for row in rows)
    signature = f"segments:{segments}|window:{window}|lemmas:no|mean:segment|{term_signature(options)}"
    return ratio_statistics("overlap", rows, signature)


def _num_matched(terms: Sequence[Sequence[Phrase]], text: Sequence[str]) -> int:
    starts: set[int] = set()
    for phrases in terms:
        occurrences = (occurrence.start for phrase in phrases for occurrence in find_phrase(phrase, text))
        free = next((start for start in occurrences if start not in starts), None)
        if free is not None:
            starts.add(free)
    return len(starts)


def _segment_overlap(
    hypothesis: str, reference: str, constraints: Sequence[Constraint], options: WordOptions, window: int
) -> tuple[float, float]:
    """The value of a segment, and 1 if its reference has terms, else 0."""
    found, expected = (forms(split_words(text, options)) for text in (hypothesis, reference))
    terms = wanted_phrases(constraints, options)
    occurrences = match_constraints(terms, expected)
    groups: dict[tuple[Phrase, ...], list[Occurrence]] = {}
    for phrases, occurrence in zip(terms, occurrences, strict=True):
        if occurrence is not None:
            groups.setdefault(phrases, []).append(occurrence)
    overlaps = [
        overlap
        for phrases, wanted in groups.items()
        for overlap in _pair(expected, wanted, found, find_constraint(phrases, found), window)
    ]
    return sum(overlaps) / max(len(overlaps), 1), float(bool(groups))


def _pair(
    reference: Sequence[str],
    wanted: Sequence[Occurrence],
    hypothesis: Sequence[str],
    found: Sequence[Occurrence],
    window: int,
) -> list[float]:
    """The overlaps of paired occurrences, the best first."""
    scored = [
        (_overlap(_around(reference, theirs, window), _around(hypothesis, ours, window)), theirs, ours)
        for theirs in wanted
        for ours in found
    ]
    overlaps: list[float] = []
    used: set[tuple[str, Occurrence]] = set()
    for overlap, theirs, ours in sorted(scored, key=lambda entry: -entry[0]):
        pair = {("reference", theirs), ("hypothesis", ours)}
        if not used & pair:
            used |= pair
            overlaps.append(overlap)
    return overlaps


def _around(text: Sequence[str], occurrence: Occurrence, window: int) -> list[str]:
    """The nearest words that are not punctuation, on either side."""
    before = [word for word in text[: occurrence.start] if not is_punctuation(word)]
    after = [word for word in text[occurrence.end :] if not is_punctuation(word)]
    return before[max(0, len(before) - window) :] + after[:window]


def _overlap(reference: list[str], hypothesis: list[str]) -> float:
    if not reference:
        return 0.0
    return sum((Counter(reference) & Counter(hypothesis)).values()) / len(reference)
