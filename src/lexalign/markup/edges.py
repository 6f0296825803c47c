"""What a tag should not begin or end with, though links may say so.

    ein <b>Defizit</b> von 4 %      a <b>deficit</b> of 4 %      not <b>deficit of</b>, nor <b>deficit,</b>

Aligners link a function word that has no counterpart to what its neighbour comes from. So it comes from a
source word that another word of the same run comes from more surely; and a mark has no business at an end
where the source has a word.
"""

from bisect import bisect_right

from lexalign.contracts.alignment import Span
from lexalign.markup.evidence import Evidence, overlap
from lexalign.markup.units import is_word

# Links that are surer than this are believed in any case. Chosen on development data.
_SURE = 0.9


def tighten(evidence: Evidence, span: Span, units: Span) -> Span:
    """The run of target units for the source characters `span`, without what only hangs on at its ends."""
    first, last = units
    shares = {place: _shares(evidence, place) for place in range(first, last)}
    begins, ends = _words_at_ends(evidence, span)

    def hangs_on(place: int, ends_in_word: bool) -> bool:
        if ends_in_word and not is_word(evidence.target, evidence.units[place]):
            return True
        source = max(shares[place], key=shares[place].__getitem__, default=None)
        if source is None:
            return True
        share = shares[place][source]
        others = (shares[other].get(source, 0.0) for other in range(first, last) if other != place)
        return share < _SURE and max(others, default=0.0) > share

    while last - first > 1 and hangs_on(first, begins):
        first += 1
    while last - first > 1 and hangs_on(last - 1, ends):
        last -= 1
    return first, last


def _words_at_ends(evidence: Evidence, span: Span) -> tuple[bool, bool]:
    """Whether the source's text begins and ends with a word."""
    inside = [unit for unit in evidence.source_units if overlap(unit, span)]
    if not inside:
        return False, False
    return is_word(evidence.source, inside[0]), is_word(evidence.source, inside[-1])


def _shares(evidence: Evidence, place: int) -> dict[int, float]:
    """How much of a target unit comes from each of the source's."""
    found: dict[int, float] = {}
    units = evidence.source_units
    for origin in evidence.origins[place]:
        start, end = origin.source
        index = bisect_right(units, (start, len(evidence.source))) - 1
        for unit in range(max(0, index), len(units)):
            if units[unit][0] >= end:
                break
            share = origin.weight * overlap(origin.source, units[unit]) / (end - start)
            if share:
                found[unit] = found.get(unit, 0.0) + share
    return found
