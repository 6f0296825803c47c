"""1 - TERm: translation edit rate in which errors in terms weigh double (Alam, Anastasopoulos et al. 2021).

A reference word that belongs to a term, at the place the term has in the reference, costs 2 to miss or to
replace. A segment's rate is its edits over the reference's words; the corpus's is the mean over segments, as
in the evaluation of WMT 2021's terminology task. It may be negative: a bad translation can need more edits
than the reference has words.
"""

from collections.abc import Sequence

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.constraint_satisfaction import Constraints, term_signature, wanted_phrases
from lexalign.metrics.edit_rate import translation_edits
from lexalign.metrics.occurrences import place_constraints
from lexalign.metrics.segment_statistics import SegmentStatistics, check_segments, ratio_statistics
from lexalign.metrics.words import WordOptions, forms, split_words


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
        (1 - _segment_rate(hypothesis, reference, asked, options, weight), 1.0)
        for hypothesis, reference, asked in zip(hypotheses, references, constraints, strict=True)
    ]
    signature = f"segments:{len(rows)}|weight:{weight:g}|shift:1|mean:segment|{term_signature(options)}"
    return ratio_statistics("1-TERm", rows, signature)


def term_weights(
    reference: Sequence[str], constraints: Sequence[Constraint], options: WordOptions, weight: float
) -> list[float]:
    """The weights of a reference's words."""
    weights = [1.0] * len(reference)
    for place in place_constraints(wanted_phrases(constraints, options), reference):
        if place is not None:
            weights[place.start : place.end] = [weight] * (place.end - place.start)
    return weights


def _segment_rate(
    hypothesis: str, reference: str, constraints: Sequence[Constraint], options: WordOptions, weight: float
) -> float:
    found, expected = (forms(split_words(text, options)) for text in (hypothesis, reference))
    if not expected:
        return float(bool(found))
    weights = term_weights(expected, constraints, options, weight)
    return translation_edits(found, expected, weights) / len(expected)
