"""Trimming of a tag's span: words at its ends that links put inside, but that do not belong there.

    ein <b>Defizit</b> von 4 %      a <b>deficit</b> of 4 %      not <b>deficit of</b>, nor <b>deficit,</b>

Aligners link a function word without a counterpart to the source of its neighbour. So it is linked to a
source word to which another word of the same run is linked with a higher probability; and punctuation does
not belong to an end where the source has a word. A link of which both directions are fairly sure is trusted:
the source of a function word without a counterpart prefers its neighbour, but both words of `data source`
are chosen by `Datenquelle`.
"""

from bisect import bisect_right

from lexalign.contracts.alignment import Span
from lexalign.markup.evidence import Evidence, overlap
from lexalign.markup.units import is_word

# Links with a higher probability are trusted in any case: those of one direction, and the mean of both.
# Chosen on development data.
_TRUSTED, _TRUSTED_MUTUAL = 0.9, 0.4


def trim_units(evidence: Evidence, span: Span, units: Span) -> Span:
    """The run of target units for the source characters `span`, without extra units at its ends."""
    first, last = units
    shares = {index: _shares(evidence, index) for index in range(first, last)}
    begins, ends = _words_at_ends(evidence, span)
    trusted = _TRUSTED_MUTUAL if evidence.mutual else _TRUSTED

    def is_extra(index: int, ends_in_word: bool) -> bool:
        if ends_in_word and not is_word(evidence.target, evidence.units[index]):
            return True
        source = max(shares[index], key=shares[index].__getitem__, default=None)
        if source is None:
            return True
        share = shares[index][source]
        others = (shares[other].get(source, 0.0) for other in range(first, last) if other != index)
        return share < trusted and max(others, default=0.0) > share

    while last - first > 1 and is_extra(first, begins):
        first += 1
    while last - first > 1 and is_extra(last - 1, ends):
        last -= 1
    return first, last


def _words_at_ends(evidence: Evidence, span: Span) -> tuple[bool, bool]:
    """Whether the source's span begins and ends with a word."""
    inside = [unit for unit in evidence.source_units if overlap(unit, span)]
    if not inside:
        return False, False
    return is_word(evidence.source, inside[0]), is_word(evidence.source, inside[-1])


def _shares(evidence: Evidence, index: int) -> dict[int, float]:
    """How much of a target unit is aligned to each source unit."""
    found: dict[int, float] = {}
    units = evidence.source_units
    for origin in evidence.origins[index]:
        start, end = origin.source
        nearest = bisect_right(units, (start, len(evidence.source))) - 1
        for unit in range(max(0, nearest), len(units)):
            if units[unit][0] >= end:
                break
            share = origin.weight * overlap(origin.source, units[unit]) / (end - start)
            if share:
                found[unit] = found.get(unit, 0.0) + share
    return found
